function entriesOf(text) {
  if (typeof text !== "string") throw new TypeError("A row of this model is a text.");
  return hashedEntries([], [text]);
}
