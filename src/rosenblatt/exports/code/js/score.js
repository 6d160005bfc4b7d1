// --- scores, label and probabilities ------------------------------------------------------------

// The sum over entries, each an index of weights (−1: zero) and a value, in the library's order.
function sum(entries, k) {
  const term = ([index, value]) => (index < 0 ? 0 : WEIGHTS[index * INTERCEPTS.length + k]) * value;
  const inOrder = terms => terms.reduce((total, one) => total + term(one), 0);
  if (!FOUR_PARTS) return inOrder(entries);
  const whole = entries.length - (entries.length % 4);
  const part = i => entries.filter((_, p) => (p < whole ? p % 4 : 0) === i);
  return inOrder(part(0)) + inOrder(part(1)) + (inOrder(part(2)) + inOrder(part(3)));
}

function decide(entries) {
  const scores = INTERCEPTS.map((intercept, k) => sum(entries, k) + intercept);
  const found = { label: classes[indexOfLabel(scores)] };
  if (scores.length === 1) found.score = scores[0];
  else found.scores = scores;
  if (PROBABILITIES !== null) found.probabilities = probabilitiesOf(scores);
  return found;
}

function indexOfLabel(scores) {
  if (scores.length === 1) return Number(ZERO_IS_SECOND ? scores[0] >= 0 : scores[0] > 0);
  const isAbove = (one, other) => one > other || (Number.isNaN(one) && !Number.isNaN(other));
  return scores.reduce((best, score, k) => (isAbove(score, scores[best]) ? k : best), 0);
}

function probabilitiesOf(scores) {
  const logExpit = x => Math.min(x, 0) - Math.log1p(Math.exp(-Math.abs(x)));
  if (PROBABILITIES === "logistic") return [-scores[0], scores[0]].map(x => Math.exp(logExpit(x)));
  const logs = PROBABILITIES === "softmax" ? scores : scores.map(logExpit);
  const largest = logs.reduce((one, other) => Math.max(one, other));
  const shares = logs.map(x => Math.exp(x - largest));
  const total = shares.reduce((one, other) => one + other);
  return shares.map(share => share / total);
}
