// What happens in a second, and how long it takes: differences of the service's totals.

const SPAN = 60; // seconds that are kept
const LATEST = 5; // seconds of a rate

/** Totals of the last minute, from one event after another. */
export class Rates {
  constructor() {
    this.kept = [];
  }

  /** Adds the totals of an event. */
  add(totals, now = performance.now() / 1000) {
    const last = this.kept.at(-1);
    if (last && totals.predictions < last.totals.predictions) this.kept = []; // a new process
    this.kept.push({ now, totals });
    while (this.kept[1] && this.kept[1].now < now - SPAN) this.kept.shift();
  }

  /** Returns how much a total grew in each of the last seconds; null before two events. */
  rate(name) {
    return this.rateSince(name, LATEST);
  }

  rateSince(name, span) {
    const last = this.kept.at(-1);
    const earlier = this.kept.slice(0, -1);
    const first = earlier.find((event) => event.now >= last.now - span) ?? earlier.at(-1);
    if (!first) return null;
    return (last.totals[name] - first.totals[name]) / (last.now - first.now);
  }

  /** Returns the rates between events, as [seconds ago, rate], the oldest first. */
  course(name) {
    const end = this.kept.at(-1)?.now;
    return this.kept.slice(1).map(({ now, totals }, i) => {
      const before = this.kept[i];
      return [end - now, (totals[name] - before.totals[name]) / (now - before.now)];
    });
  }

  /** Returns the rate of a total over the last minute. */
  slowRate(name) {
    return this.rateSince(name, SPAN);
  }

  /** Returns how many took how long in the last minute: counts between bounds. */
  spread(kind) {
    const [first, last] = [this.kept[0], this.kept.at(-1)];
    if (first === last) return last.totals.seconds[kind].map(() => 0);
    const grown = last.totals.seconds[kind].map((n, i) => n - first.totals.seconds[kind][i]);
    return grown.map((n, i) => n - (grown[i - 1] ?? 0));
  }

  /** Returns the time that a share of the last minute's requests kept, in seconds, or null. */
  quantile(kind, share) {
    const counts = this.spread(kind);
    const bounds = this.kept.at(-1).totals.bounds;
    let left = share * counts.reduce((sum, n) => sum + n, 0);
    if (left === 0) return null;
    for (const [i, n] of counts.entries()) {
      const low = bounds[i - 1] ?? bounds[0] / 3;
      if (n >= left) return low * ((bounds[i] ?? 3 * low) / low) ** (left / n);
      left -= n;
    }
    return bounds.at(-1);
  }
}
