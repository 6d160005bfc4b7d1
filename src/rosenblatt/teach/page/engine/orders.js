// The order of the rows with the most mistakes.

import { permutation, randomNumbers } from "./random.js";
import { runPerceptron } from "./run.js";

/** Of so many points, all orders are tried; of more, so many random ones. */
export const FEW = 7;
export const DRAWN = 300;

/** The number of looks after which a run is cut. */
export const CUT = 4000;

/**
 * Finds the order of the rows of an epoch with the most mistakes.
 * @returns {{order: number[], mistakes: number, tried: number, cut: boolean}}
 *   tried: the number of orders; cut: true if a run was cut, so that it may make more mistakes
 */
export function worstOrder(points, labels, conventions) {
  const orders = points.length <= FEW ? allOrders(points.length) : drawnOrders(points.length);
  const worst = { order: null, mistakes: -1, tried: 0, cut: false };
  for (const order of orders) {
    const run = runPerceptron(points, labels, { ...conventions, pick: "every" }, order, CUT);
    const mistakes = run.weights.length - 1;
    worst.tried++;
    worst.cut ||= run.status === "open";
    if (mistakes > worst.mistakes) Object.assign(worst, { order, mistakes });
  }
  return worst;
}

function drawnOrders(n) {
  const draw = randomNumbers(1);
  return Array.from({ length: DRAWN }, () => permutation(n, draw));
}

/** Returns all n! orders of 0, …, n − 1. */
function allOrders(n) {
  if (n === 0) return [[]];
  return allOrders(n - 1).flatMap((order) =>
    Array.from({ length: n }, (_, at) => [...order.slice(0, at), n - 1, ...order.slice(at)]),
  );
}
