// Checks proof files of netdp, form 1 (docs/proof-format.md), in exact arithmetic: the second implementation, for a page
// that has no network. tools/verify/netdp-verify is the first; both take the same files (tests/proofs).

const INTEGER = "(?:0|[1-9]\\d{0,8})", DOUBLE = "0x[01](?:\\.[0-9a-f]{1,13})?p[+-](?:\\d{1,3}|10[01]\\d)";
const DECIMAL = "(?:0|[1-9]\\d{0,99})(?:\\.\\d{1,99})?(?:e[+-]?\\d{1,3})?";
const FORMS = {
  x: `-?${DOUBLE}`, "+": DOUBLE, d: DECIMAL, "*": `${INTEGER}(?: ${INTEGER})*`, unit: "node|row", sees: "messages|sums|everything|visits",
  "own-noise": "known|counts", bound: "ones|alternating|abs-sum|dual",
  rule: `(?:lazy:${DECIMAL}:)?(?:metropolis|hamilton|max-degree|rows|file)`,
};
const table = (text) => new Map(text.split(" ").map((entry) => entry.split("=")));
// What stands where: each key with its indices and its values, as in netdp-verify.
const STORY = " g=tv:x tie=tv:v contribution=k: source=:v end=:";
const KEYS = {
  head: table("nodes=:i rounds=:i rule=:s w=vv:x change=tvv:x noise=r:+ accelerate=:+ release=:+ pair-noise=:+ pair=vv: phases=:i " +
    "takes-part=:i every=:i at-most=:i unit=:s step=r:v rest=r:v contract=:+ released=: source=:v"),
  source: table("observers=:* sees=:s own-noise=:s weight=:+ claim#loss=:d claim#dp=:ddd c=vv:x claim#rdp=:ddd claim#gdp=:dd " +
    "bound=:s y=k:x spread=r:+" + STORY),
  contribution: table("c=kvv:x" + STORY), end: new Map(),
};
// Keys that gossip and tokens have, and those of tokens alone; and what some belong to.
const BOTH = new Set("nodes rounds source observers sees own-noise weight claim end".split(" "));
const TOKEN = new Set("step rest contract released spread".split(" "));
const NEEDS = { "takes-part": "phases", "at-most": "every", y: "bound", bound: "contribution" };
const UNIT = 512, FINE = 256, MOST = 1e6, MOST_BLOCKS = 1000, MOST_TIES = 100;

class Refused extends Error {
  constructor(line, why) {
    super(why);
    this.line = line;
  }
}

function need(holds, line, why) {
  if (!holds) throw new Refused(line, why);
}

// ---- Fractions: n / (2^e d), d odd. Doubles have d = 1, and then nothing is ever divided.

function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a < 0n ? -a : a;
}

class Fraction {
  constructor(n, e = 0, d = 1n) {
    this.n = n;
    this.e = e;
    this.d = d;
  }

  static of(n, d = 1n) {
    let e = 0;
    if (d < 0n) [n, d] = [-n, -d];
    while (!(d & 0xffffffffn) && d) [d, e] = [d >> 32n, e + 32];
    while (!(d & 1n)) [d, e] = [d >> 1n, e + 1];
    return new Fraction(n, e, d).reduced();
  }

  reduced() {
    if (this.d === 1n) return this;
    const common = gcd(this.n, this.d);
    return new Fraction(this.n / common, this.e, this.d / common);
  }

  plus(x) {
    const e = Math.max(this.e, x.e), a = this.n << BigInt(e - this.e), b = x.n << BigInt(e - x.e);
    if (this.d === x.d) return new Fraction(a + b, e, this.d).reduced();
    return new Fraction(a * x.d + b * this.d, e, this.d * x.d).reduced();
  }

  times(x) {
    return new Fraction(this.n * x.n, this.e + x.e, this.d * x.d).reduced();
  }

  over(x) {
    return Fraction.of((this.n * x.d) << BigInt(x.e), x.n * this.d).times(new Fraction(1n, this.e));
  }

  negated() {
    return new Fraction(-this.n, this.e, this.d);
  }

  minus(x) {
    return this.plus(x.negated());
  }

  isZero() {
    return this.n === 0n;
  }

  sign() {
    return this.n > 0n ? 1 : this.n < 0n ? -1 : 0;
  }

  size() {
    return this.n < 0n ? this.negated() : this;
  }

  atMost(x) {
    return this.minus(x).sign() <= 0;
  }

  // The least integer that is not below 2^power times it.
  ceiling(power) {
    const below = this.d << BigInt(this.e), above = -this.n << BigInt(power);
    return -(above / below - (above < 0n && above % below ? 1n : 0n));
  }
}

const ZERO = new Fraction(0n), ONE = new Fraction(1n);

// A double in hexadecimal; what is finer than 2^-512 is cut off.
function double(word) {
  const found = /^(-?)0x([01])(?:\.([0-9a-f]+))?p([+-]\d+)$/.exec(word), digits = found[3] || "";
  let n = BigInt("0x" + found[2] + digits), e = 4 * digits.length - Number(found[4]);
  if (e > UNIT) [n, e] = [n >> BigInt(e - UNIT), UNIT];
  while (n && !(n & 1n)) [n, e] = [n >> 1n, e - 1];
  n = found[1] ? -n : n;
  return e < 0 ? new Fraction(n << BigInt(-e)) : new Fraction(n, n ? e : 0);
}

function decimal(word) {
  const found = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(word), digits = found[2] || "";
  const power = Number(found[3] || 0) - digits.length, n = BigInt(found[1] + digits);
  return power < 0 ? Fraction.of(n, 10n ** BigInt(-power)) : new Fraction(n * 10n ** BigInt(power));
}

// The double nearest to a decimal, as a fraction.
function nearest(word) {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setFloat64(0, Number(word));
  const whole = bytes.getBigUint64(0), power = Number((whole >> 52n) & 2047n), rest = whole & 0xfffffffffffffn;
  const n = power ? rest | (1n << 52n) : rest, e = 1075 - Math.max(power, 1);
  return e < 0 ? new Fraction(n << BigInt(-e)) : new Fraction(n, e);
}

const lengthOf = (n) => n.toString(2).length;

// ---- Lines

class Facts {
  constructor(start) {
    this.start = start;
    this.keys = new Map();
    this.blocks = new Map();
    this.said = [];
  }

  all(key) {
    return this.keys.get(key) || new Map();
  }

  has(key) {
    return this.keys.has(key);
  }

  get(key, ...index) {
    return this.all(key).get(index.join(" "));
  }

  one(key, usual, ...index) {
    const found = this.get(key, ...index);
    need(found || usual !== undefined, this.start, `${key} is missing`);
    return found ? found.values[0] : usual;
  }

  line(key, ...index) {
    const found = this.get(key, ...index);
    return found ? found.line : this.start;
  }

  fit(token) {
    for (const key of this.keys.keys())
      need((BOTH.has(key.split("#")[0]) || TOKEN.has(key) === token) && this.has(NEEDS[key] || key) && !(["g", "c", "tie"].includes(key) && this.blocks.size),
        this.start, `${key}: not here`);
  }

  byRound(key) {
    const rounds = new Map();
    for (const fact of this.all(key).values()) {
      if (!rounds.has(fact.index[0])) rounds.set(fact.index[0], []);
      rounds.get(fact.index[0]).push(fact);
    }
    return rounds;
  }

  add(key, form, words, line, limits) {
    const [before, after] = form.split(":"), kinds = [...(before + after)];
    const forms = kinds.map((kind) => `(${FORMS[kind === "s" ? key : kind] || INTEGER})`);
    const found = new RegExp(`^${forms.join(" ")}$`).exec(words.join(" "));
    need(found, line, `${[key, ...words].join(" ")}: of another form`);
    const read = kinds.map((kind, i) => ("sd*".includes(kind) ? found[i + 1] : "x+".includes(kind) ? double(found[i + 1])
      : Number(found[i + 1])));
    const good = kinds.every((kind, i) => (kind === "+" ? read[i].sign() > 0 : !limits[kind] ||
      (limits[kind][0] <= read[i] && read[i] <= limits[kind][1])));
    const index = read.slice(0, before.length), place = index.join(" ");
    need(good && !this.all(key).has(place), line, `${key}: out of range, or said twice`);
    if (!this.keys.has(key)) this.keys.set(key, new Map());
    this.all(key).set(place, { index, values: read.slice(before.length), line });
    if (key === "noise" || (after && !before)) this.said.push([key.replace("#", " "), ...words].join(" "));
  }
}

function readLines(text) {
  const lines = [];
  text.split("\n").forEach((whole, i) => {
    const words = whole.split("#")[0].split(" ").filter((word) => word);
    if (words.length) lines.push([i + 1, words]);
  });
  need(lines.length && lines[0][0] === 1 && lines[0][1].join(" ") === "netdp-proof 1", 1, "the file begins with: netdp-proof 1");
  return lines;
}

function read(text) {
  const lines = readLines(text), size = {};
  for (const [, words] of lines) if (words.length === 2 && new RegExp(`^${INTEGER}$`).test(words[1])) size[words[0]] = Number(words[1]);
  const { nodes = 0, phases = 0, rounds = 0, every = 0 } = size;
  const slots = phases || (every ? Math.ceil(rounds / every) : 1);
  const limits = { v: [0, nodes - 1], t: [0, rounds * Math.max(phases, 1) - 1], r: [0, rounds], k: [0, slots - 1], i: [1, MOST] };
  const head = new Facts(1), questions = [];
  let here = head, place = "head";
  for (const [line, words] of lines.slice(1)) {
    let [key, ...rest] = words;
    if (key === "claim" && rest.length) [key, rest] = [`claim#${rest[0]}`, rest.slice(1)];
    const form = KEYS[place].get(key);
    need(form !== undefined, line, `${key} cannot stand here`);
    if (key === "source") questions.push(new Facts(line));
    if (key === "source" || key === "contribution") here = questions[questions.length - 1];
    here.add(key, form, rest, line, limits);
    if (key === "contribution") {
      const block = new Facts(line);
      here.blocks.set(Number(rest[0]), block);
      here = block;
    }
    if (KEYS[key]) place = key;
  }
  need(place === "end", lines[lines.length - 1][0], "the file ends with a question and end");
  return [head, questions];
}

// ---- The network

const LAWS = {
  metropolis: (d, e) => 1 + Math.max(d, e), hamilton: (d, e) => Math.max(d, e), "max-degree": (d, e, top) => 1 + top,
  rows: (d) => 1 + d,
};

class Network {
  constructor(head) {
    this.head = head;
    this.n = head.one("nodes");
    this.phases = head.one("phases", 0);
    this.end = head.one("release", null);
    this.gamma = head.one("accelerate", ONE);
    this.once = head.one("rounds");
    const every = head.one("every", 0);
    this.rounds = this.once * (this.phases || 1);
    this.length = every || this.once;
    this.slots = this.phases || Math.ceil(this.rounds / this.length);
    this.parts = head.one("takes-part", head.one("at-most", this.slots));
    need(this.n > 1 && this.rounds <= MOST && !(this.phases && every), 1, "rounds");
    this.noise = [];
    for (let t = 0; t < this.once; t++) {
      this.noise.push(head.one("noise", t ? this.noise[t - 1] : ZERO, t));
      const value = this.noise[t];
      need(value.minus(ONE).isZero() || (!value.isZero() && t % this.length), head.line("noise", t),
        `noise of round ${t}: 1 where contributions are taken`);
    }
    this.readWeights([...head.all("w").values()]);
  }

  readWeights(given) {
    const { head } = this, near = Array.from({ length: this.n }, (_, a) => new Set([a]));
    for (const { index: [a, b] } of given) near[a].add(b);
    this.near = near;
    const rule = head.one("rule").split(":"), law = LAWS[rule[rule.length - 1]], goals = new Map();
    const kept = rule.length > 1 ? ONE.minus(nearest(rule[1])) : ONE, top = near.reduce((most, set) => Math.max(most, set.size), 0) - 1;
    const goalOf = (a, b) => {
      const below = law(near[a].size - 1, near[b].size - 1, top);
      if (!goals.has(below)) goals.set(below, kept.over(new Fraction(BigInt(below))));
      return goals.get(below);
    };
    for (const { index: [a, b], values: [x], line } of given) {
      const goal = law && a !== b ? goalOf(a, b) : x, off = x.minus(goal).size().times(new Fraction(1n << 51n));
      need(off.atMost(goal) && (a === b || x.sign() > 0) && head.get("w", b, a), line, `w ${a} ${b} is not ${rule.join(":")}, or not both ways`);
    }
    this.usual = this.mixing(given.map(({ index: [a, b], values: [x], line }) => [a, b, x, line]), near.map(() => new Map()));
    need(this.usual.every((row) => row.size) && [...head.all("pair").values()].every(({ index: [a, b] }) => a < b), 1, "w, or a pair");
    this.networks = new Map();
    const changes = head.byRound("change");
    for (const t of [...changes.keys()].sort((a, b) => a - b))
      this.networks.set(t, this.mixing(changes.get(t).map(({ index: [, a, b], values: [x], line }) => [a, b, x, line]), this.usual));
  }

  mixing(lines, usual) {
    const fresh = new Map();
    for (const [a, b, x, line] of lines) {
      if (!fresh.has(a)) fresh.set(a, { row: new Map() });
      fresh.get(a).row.set(b, x);
      fresh.get(a).line = line;
    }
    for (const [a, { row, line }] of fresh) {
      const off = [...row.values()].reduce((x, y) => x.plus(y), ONE.negated()).size();
      need([...row].every(([b, x]) => this.near[a].has(b) && x.sign() >= 0) && off.atMost(new Fraction(BigInt(this.near[a].size + 3), 53)),
        line, `row ${a} of w: of its edges, none below 0, their sum 1`);
    }
    return usual.map((row, a) => (fresh.has(a) ? fresh.get(a).row : row));
  }
}

// ---- One question

function add(map, v, x) {
  map.set(v, (map.get(v) || ZERO).plus(x));
}

function solve(system) {
  for (let i = 0; i < system.length; i++) {
    const at = system.findIndex((row, k) => k >= i && !row[i].isZero());
    if (at < 0) return null;
    [system[i], system[at]] = [system[at], system[i]];
    const row = system[i].map((x) => x.over(system[i][i]));
    system = system.map((r, k) => (k === i ? row : r.map((x, j) => x.minus(r[i].times(row[j])))));
  }
  return system.map((row) => row[row.length - 1]);
}

// Is a symmetric matrix of integers positive definite? By its leading minors (Bareiss).
function positive(a) {
  let before = 1n;
  while (a.length) {
    const [p, ...rest] = a[0], last = before;
    if (p <= 0n) return false;
    a = a.slice(1).map((r) => rest.map((y, j) => (p * r[j + 1] - r[0] * y) / last));
    before = p;
  }
  return true;
}

// What noise pays for contribution k, when a story tells how far messages move: round, or -end, to weight and moves.
class Story {
  constructor(net, q, story, k) {
    Object.assign(this, { net, q, story, us: new Set(q.observers), sees: q.one("sees"), known: q.one("own-noise") === "known" });
    this.come = new Map([[k * net.length, new Map([[q.one("source"), ONE]])]]);
    this.paid = new Map();
    const paid = new Map();
    for (const { index, values: [x], line } of story.all("c").values()) {
      const [a, b] = index.slice(-2), t = index.length > 2 ? index[0] * net.length : 0;
      need(net.head.get("pair", a, b) && !(this.known && (this.us.has(a) || this.us.has(b))), line,
        `${a} ${b} is no pair, or the observers know its noise`);
      const push = net.head.one("pair-noise").times(x);
      if (!this.come.has(t)) this.come.set(t, new Map());
      add(this.come.get(t), a, push);
      add(this.come.get(t), b, push.negated());
      paid.set(index.join(" "), x);
    }
    this.run();
    this.paid.set("c", [ONE, paid]);
  }

  pay(t, moves) {
    const { net } = this, noise = t >= 0 ? net.noise[t % net.once] : net.end || ONE;
    this.paid.set(t, [new Fraction(ONE.over(noise.times(noise)).ceiling(FINE), FINE), moves]);
  }

  comesIn(t, rows, g, old) {
    const { net } = this, a = new Map();
    for (const v of new Set([...g.keys()].flatMap((b) => [...net.near[b]]))) {
      let sum = ZERO;
      for (const [b, x] of rows[v]) if (g.has(b)) sum = sum.plus(x.times(g.get(b)));
      a.set(v, sum);
    }
    const more = net.gamma.minus(ONE);
    if (more.isZero() || (t - 1) % net.once === 0) return a;
    for (const [v, x] of a) a.set(v, x.times(net.gamma));
    for (const [v, x] of old) add(a, v, more.times(x).negated());
    return a;
  }

  tied(ties, rows, now) {
    const pivots = ties.map(({ values: [p] }) => p);
    const system = ties.map(({ index: [, v] }) => {
      let right = ZERO;
      for (const [w, c] of rows[v]) if (now.has(w)) right = right.minus(c.times(now.get(w)));
      return [...pivots.map((p) => rows[v].get(p) || ZERO), right];
    });
    const solved = ties.length <= MOST_TIES && solve(system);
    need(solved, ties.length ? ties[0].line : 0, "ties depend on each other, or are more than 100");
    pivots.forEach((p, i) => now.set(p, solved[i]));
  }

  run() {
    const { net, story, q, us } = this, lines = story.byRound("g"), ties = story.byRound("tie");
    let g = new Map(), old = new Map(), rows = null;
    for (let t = 0; t <= net.rounds; t++) {
      let a = this.comesIn(t, rows, g, old);
      if (t && t % net.once === 0) {
        if (net.end || this.sees === "sums")
          for (const v of us) need((a.get(v) || ZERO).isZero(), q.start, `what node ${v} receives last moves`);
        this.pay(-t, net.end ? a : new Map());
        [a, g, old] = [new Map(), new Map(), new Map()];
      }
      for (const [v, x] of this.come.get(t) || []) add(a, v, x);
      if (t === net.rounds || !(a.size || g.size || old.size || lines.has(t) || ties.has(t))) continue;
      rows = net.networks.get(t) || net.usual;
      const hears = (v) => [...rows[v]].filter(([b, x]) => b !== v && !x.isZero()).map(([b]) => b), seen = new Set(us), now = new Map();
      if (this.sees === "messages") for (const v of us) for (const b of hears(v)) seen.add(b);
      const silent = { has: (v) => t % net.length !== 0 && !hears(v).length };
      for (const [v, x] of a) if (silent.has(v)) now.set(v, x);
      for (const { index: [, v], values: [x] } of lines.get(t) || []) now.set(v, x);
      if (ties.has(t)) this.tied(ties.get(t), rows, now);
      this.judge(t, a, now, seen, silent);
      [g, old] = [now, g];
    }
  }

  judge(t, a, now, seen, silent) {
    const moves = new Map(now);
    for (const [v, x] of a) add(moves, v, x.negated());
    for (const v of [...moves.keys()].sort((x, y) => x - y)) {
      const isSeen = now.has(v) && !now.get(v).isZero() && (seen.has(v) || this.sees === "everything");
      need(!(isSeen || (!moves.get(v).isZero() && (silent.has(v) || (this.known && this.us.has(v))))), this.story.line("g", t, v),
        `round ${t}: node ${v} moves and is seen, or no unknown noise hides what comes in`);
    }
    this.pay(t, moves);
  }
}

function product(x, y) {
  let total = ZERO;
  for (const [t, [weight, moves]] of x) {
    if (!y.has(t)) continue;
    let sum = ZERO;
    for (const [v, amount] of moves) if (y.get(t)[1].has(v)) sum = sum.plus(amount.times(y.get(t)[1].get(v)));
    total = total.plus(weight.times(sum));
  }
  return total;
}

const sum = (list) => list.reduce((a, b) => a.plus(b), ZERO);
const floor = (x, p) => -x.negated().ceiling(p);

function gossip(net, q) {
  const n = net.slots, everything = q.one("sees") === "everything", multiple = new Fraction(BigInt(net.parts));
  const largest = (list) => sum([...list].sort((a, b) => b.minus(a).sign()).slice(0, net.parts));
  need(net.end || !net.phases || everything, q.line("sees"), "learning releases its states");
  if (!q.blocks.size) {
    need(n === 1 || everything || (net.phases && !net.head.has("change")), q.start, "no blocks");
    const { paid } = new Story(net, q, q, 0);
    return product(paid, paid).times(multiple);
  }
  need(n <= MOST_BLOCKS, q.start, "more than 1000 blocks");
  const paid = Array.from({ length: n }, (_, k) => new Story(net, q, q.blocks.get(k) || new Facts(q.start), k).paid);
  const m = paid.map((x) => paid.map((y) => product(x, y))), bound = q.one("bound", "abs-sum");
  if (bound === "ones" || bound === "alternating") {
    need(net.parts === n, q.line("bound"), `${bound}: of all contributions`);
    return sum(m.flatMap((row, k) => row.map((x, l) => (bound === "alternating" && (k + l) % 2 ? x.negated() : x))));
  }
  if (bound === "abs-sum") return largest(m.map((row) => largest(row.map((x) => x.size()))));
  const y = Array.from({ length: n }, (_, k) => q.one("y", ZERO, k)), off = new Fraction(BigInt(n), FINE);
  need(positive(m.map((row, k) => row.map((x, l) => floor((k === l ? y[k].minus(off) : ZERO).minus(x), FINE)))), q.line("bound"),
    "Diag(y) - V'V is not shown to be positive");
  return largest(y);
}

// What the visits of a token on a public path tell: later noise takes off what is apart.
function token(head, q) {
  const steps = head.one("rounds"), shrinks = head.one("contract", ONE), path = new Map();
  for (const key of ["rest", "step"]) for (const { index: [t], values: [v] } of head.all(key).values()) path.set(t, v);
  need(path.size === steps + 1 && steps + 1 === head.all("rest").size + head.all("step").size, head.start, "steps 0 to the end have a node each");
  let apart = ZERO, loss = ZERO;
  for (let t = 0; t < steps; t++) {
    apart = new Fraction(apart.times(shrinks).ceiling(UNIT), UNIT);
    if (head.get("step", t) && path.get(t) === q.one("source")) apart = apart.plus(ONE);
    let taken = q.one("spread", ZERO, t);
    need(taken.atMost(apart), q.line("spread", t), `step ${t} takes off more than is apart`);
    if (q.observers.includes(path.get(t + 1)) || (t + 1 === steps && head.has("released"))) taken = apart;
    [apart, loss] = [apart.minus(taken), loss.plus(taken.times(taken))];
  }
  return loss;
}

// ---- The normal distribution, outward

// Of x >= 0.
const whole = (x, p) => ((x.n << BigInt(p)) / (x.d << BigInt(x.e)));

function root(n) {
  if (n < 2n) return n;
  let x = 1n << BigInt((lengthOf(n) + 1) >> 1);
  for (;;) {
    const next = (x + n / x) >> 1n;
    if (next >= x) return x;
    x = next;
  }
}

// An integer not above 2^p e^x, x >= 0, and near it.
function exponential(x, p) {
  const size = Number(whole(x, 0)), halves = size.toString(2).length + 8, q = p + 2 * halves + 2 * size + 66;
  const y = whole(x, q) >> BigInt(halves);
  let total = 0n, term = 1n << BigInt(q);
  for (let k = 1n; term; k++) [total, term] = [total + term, ((term * y) >> BigInt(q)) / k];
  for (let i = 0; i < halves; i++) total = (total * total) >> BigInt(q);
  return total >> BigInt(q - p);
}

// 2^p (x + x^3/3 + x^5/15 + ...): an integer not below it (above = 1n), or not above it (0n).
function series(x, p, above) {
  if (x.sign() < 0) return -series(x.negated(), p, 1n - above);
  const shift = BigInt(p), first = whole(x, p) + above, square = ((first * first) >> shift) + above;
  let total = first, term = first;
  for (let k = 1n; term > above || k << shift < square; k++) {
    term = (((term * square) >> shift) + above) / (2n * k + 1n) + above;
    total += term;
  }
  return total + 2n * above;
}

function arctangent(m, p) {
  let total = 0n, power = (1n << BigInt(p)) / m;
  for (let k = 0n; power; k++) {
    total += (k % 2n ? -1n : 1n) * (power / (2n * k + 1n));
    power /= m * m;
  }
  return total;
}

// Not below Phi(-a) - e^epsilon Phi(-b), a = epsilon/mu - mu/2, b = a + mu, mu^2 = square.
function delta(epsilon, square) {
  const power = 160 + Math.max(0, lengthOf(square.d) + square.e - lengthOf(square.n)), half = new Fraction(1n, 1);
  const mu = new Fraction(root(whole(square, 2 * power)) + 1n, power), ratio = epsilon.over(mu);
  const a = ratio.minus(mu.times(half)), b = ratio.plus(mu.times(half));
  if (!a.atMost(new Fraction(40n)) || !b.atMost(new Fraction(100n))) {
    if (a.sign() <= 0) return ONE;
    const bits = whole(a.times(a).times(Fraction.of(18n, 25n)), 0);
    return new Fraction(1n, bits > 20000n ? 20000 : Number(bits));
  }
  const p = 400 + Number(whole(a.times(a).plus(b.times(b)).times(new Fraction(2n)).plus(epsilon.times(new Fraction(3n))), 0));
  const shift = BigInt(p), pi = 16n * arctangent(5n, p) - 4n * arctangent(239n, p) - (shift << 6n);
  const wide = (series(b, p, 1n) - series(a, p, 0n)) << (2n * shift);
  const first = wide / (exponential(a.times(a).times(half), p) * root((2n * pi) << shift)) + 1n;
  return new Fraction(first - ((exponential(epsilon, p) - (1n << shift)) >> 1n), p);
}

// ---- The answer

function shown(x) {
  if (x.isZero()) return "0";
  let power = 0;
  const at = (k) => x.times(new Fraction(10n ** BigInt(k))).ceiling(0);
  while (at(power) < 10n ** 16n) power += 1;
  const digits = at(power).toString();
  const exponent = digits.length - 1 - power;
  return `${digits[0]}.${digits.slice(1, 17)}e${exponent < 0 ? "" : "+"}${exponent}`;
}

const CLAIMS = {
  dp: [(x) => `epsilon <= ${x[0]} at delta ${x[1]} (noise ${x[2]})`, (square, [epsilon, most]) => square.isZero() || delta(epsilon, square).atMost(most)],
  rdp: [(x) => `Renyi epsilon <= ${x[0]} at order ${x[1]} (noise ${x[2]})`,
    (square, [most, order]) => !order.atMost(ONE) && square.times(order).atMost(most.times(new Fraction(2n)))],
  gdp: [(x) => `mu <= ${x[0]} (noise ${x[1]})`, (square, [most]) => square.atMost(most.times(most))],
};

function answer(head, net, q) {
  q.observers = q.one("observers").split(" ").map(Number);
  const us = new Set(q.observers), largest = q.observers.reduce((a, b) => Math.max(a, b), 0);
  need(largest < head.one("nodes") && !us.has(q.one("source")) && us.size === q.observers.length && (q.one("sees") === "visits" ? !net
    : net && (us.size === 1 || q.one("own-noise") === "known")),
    q.start, "they cannot see this");
  const bare = net ? gossip(net, q) : token(head, q), most = q.one("claim#loss");
  const loss = bare.times(q.one("weight", ONE)), said = [`loss <= ${most}`];
  need(loss.atMost(decimal(most)), q.line("claim#loss"), `claim loss ${most} is not proven: at most ${shown(loss)}`);
  for (const [kind, [says, isTrue]] of Object.entries(CLAIMS))
    for (const { values, line } of q.all(`claim#${kind}`).values()) {
      const numbers = values.map(decimal), noise = numbers[numbers.length - 1];
      need(noise.sign() > 0 && isTrue(loss.over(noise.times(noise)), numbers), line,
        `claim ${kind} ${values[0]} is not proven: the loss is at most ${shown(loss)}`);
      said.push(says(values));
    }
  const counts = ["w", "change", "pair", "step"].filter((key) => head.has(key)).map((key) => `${head.all(key).size} x ${key}`);
  return [`holds: ${said.join(", ")} (proven: ${shown(loss)})`, ...q.said, ...head.said, ...counts].join("; ")
    .replace(new RegExp(DOUBLE, "g"), (word) => plain(double(word)));
}

// A double, as people write it.
const plain = (x) => String(Number(x.n) / 2 ** x.e);

// The answers of a proof file, one a question, with what it says of each; or its first line that fails, and why.
export function verify(text) {
  try {
    const [head, questions] = read(text), net = head.has("step") ? null : new Network(head);
    for (const facts of [head, ...questions]) facts.fit(!net);
    return { holds: true, answers: questions.map((q) => answer(head, net, q)), head, questions };
  } catch (failed) {
    if (failed instanceof RangeError) return { holds: false, line: 1, why: "too large for this page" };
    if (!(failed instanceof Refused)) throw failed;
    return { holds: false, line: failed.line, why: failed.message };
  }
}
