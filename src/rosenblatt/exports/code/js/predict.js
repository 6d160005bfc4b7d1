
// The label of a row, its scores, and its probabilities if the model has any.
export function predict(row) {
  return decide(entriesOf(row));
}
