// Challenges: what to reach with the own points, and the best so far.

const KEY = "rosenblatt-records";

let inMemory = {};

/** The challenges: a measure of the current run, null where it does not count. The largest is kept. */
export const CHALLENGES = [
  {
    name: "seven",
    measure: ({ run, found, fields }) =>
      found.bound !== null && run.status === "converged" && run.weights.length - 1 === 7
        ? fields.points.length
        : null,
    better: (a, b) => a < b,
  },
  {
    name: "cycle",
    measure: ({ run, fields }) =>
      run.cycle && fields.points.length <= 4 ? run.cycle.period : null,
    better: (a, b) => a > b,
  },
  {
    name: "bound",
    measure: ({ run, found }) =>
      found.bound !== null && run.status === "converged" && run.weights.length > 2
        ? Math.round((100 * (run.weights.length - 1)) / found.bound)
        : null,
    better: (a, b) => a > b,
  },
];

/** Keeps what is better than the records so far. */
export function keepRecords(model) {
  if (model.fields.dragging) return;
  const records = readRecords();
  const changed = CHALLENGES.filter(({ name, measure, better }) => {
    const value = measure(model);
    if (value === null || (name in records && !better(value, records[name]))) return false;
    records[name] = value;
    return true;
  });
  if (changed.length > 0) writeRecords(records);
}

/** Returns the records: kept by the browser where it allows that, else until the page is closed. */
export function readRecords() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    return { ...inMemory };
  }
}

function writeRecords(records) {
  inMemory = records;
  try {
    localStorage.setItem(KEY, JSON.stringify(records));
  } catch {
    // A page from a file or in a frame may not keep anything: the records stay in memory.
  }
}
