// Checks proof files of netdp, form 1 (docs/proof-format.md), in exact arithmetic: the second implementation, for a page
// that has no network. tools/verify/netdp-verify is the first; both take the same files (tests/proofs).

const ABOVE = "0x1(?:\\.[0-9a-f]{1,13})?p(?:[+-](?:0|[1-9]\\d{0,2})|[+-]10[01]\\d|[+-]102[0-2]|\\+1023)";
const DECIMAL = "(?:0|[1-9]\\d{0,99})(?:\\.\\d{1,99})?(?:e[+-]?\\d{1,3})?";
const INTEGER = "(?:0|[1-9]\\d{0,8})";
const FORMS = {
  x: `-?(?:${ABOVE}|0x0(?:\\.[0-9a-f]{1,13})?p(?:\\+0|-1022))`, "+": ABOVE, d: DECIMAL, w: "w",
  rule: `(?:lazy:${DECIMAL}(?::(?!$)|$))?(?:metropolis|hamilton|max-degree|rows|file|(?<=.)$)`,
  sees: "messages|sums|everything", "own-noise": "known|counts", unit: "node|row", bound: "ones|alternating|abs-sum|dual",
};
const patterns = Object.fromEntries(Object.entries(FORMS).map(([key, form]) => [key, new RegExp(`^(?:${form})$`)]));
const integer = new RegExp(`^${INTEGER}$`);
const table = (text) => new Map(text.split(" ").map((entry) => entry.split("=")));
const BLOCK = "source=:v contribution=k: phase=p: tie=tv:v g=tv:x c=vv:x change=twvv:x z=pv:x";
const PLACES = {
  head: table("nodes=:i rule=:s edge=vv: w=vv:x change=twvv:x rounds=:i noise=t:+ accelerate=:+ release=:+ pair-noise=:+ pair=vv: " +
    "unit=:s weight=:+ phases=:i takes-part=:i correlate=pp:x every=:i at-most=:i source=:v"),
  block: table(BLOCK),
  question: table(`${BLOCK} observers=:* sees=:s own-noise=:s bound=:s y=k:x weight=:+ claim-loss=:d claim-dp=:ddd claim-rdp=:ddd ` +
    "claim-gdp=:dd"),
};
const NEEDS = { nodes: "rule edge w rounds noise", pair: "pair-noise", "pair-noise": "pair", "takes-part": "phases",
  "at-most": "every", correlate: "phases", source: "observers sees own-noise claim-loss" };
const MOST = 1e6, MOST_SLOTS = 1000, MOST_TIES = 128, FINE = 256;

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

// A double in hexadecimal, exactly.
function double(word) {
  const found = /^(-?)0x([01])(?:\.([0-9a-f]+))?p([+-]\d+)$/.exec(word), digits = found[3] || "";
  let n = BigInt("0x" + found[2] + digits), e = 4 * digits.length - Number(found[4]);
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

// The distance of doubles beside a fraction from 0.
function ulp(x) {
  if (x.isZero()) return ZERO;
  let power = lengthOf(x.n) - lengthOf(x.d) - x.e;
  const two = (k) => (k < 0 ? new Fraction(1n, -k) : new Fraction(1n << BigInt(k)));
  if (!two(power).atMost(x)) power -= 1;
  return two(power - 52);
}

// ---- Lines

class Facts {
  constructor() {
    this.keys = new Map();
    this.blocks = new Map();
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

  one(key, usual) {
    const found = this.get(key);
    return found ? found.values[0] : usual;
  }

  line(key) {
    let first = 0;
    for (const { line } of this.all(key).values()) first = first && first < line ? first : line;
    return first;
  }

  byRound(key) {
    const rounds = new Map();
    for (const fact of this.all(key).values()) {
      if (!rounds.has(fact.index[0])) rounds.set(fact.index[0], []);
      rounds.get(fact.index[0]).push(fact);
    }
    return rounds;
  }

  add(form, key, words, line, limits) {
    const [before, after] = form.split(":");
    const kinds = [...(before + (after === "*" ? "v".repeat(Math.max(words.length, 1)) : after))];
    need(words.length === kinds.length, line, `${key} has ${kinds.length} fields`);
    const read = [];
    kinds.forEach((kind, i) => {
      const word = words[i], pattern = patterns[kind === "s" ? key : kind], limit = limits[kind];
      need((pattern || integer).test(word), line, `${key}: ${word} cannot stand here`);
      need(!limit || (limit[0] <= Number(word) && Number(word) <= limit[1]), line, `${key}: ${word} cannot stand here`);
      if (kind !== "w") read.push(limit ? Number(word) : "x+".includes(kind) ? double(word) : word);
    });
    const cut = before.replace("w", "").length, index = read.slice(0, cut), place = index.join(" ");
    if (!this.keys.has(key)) this.keys.set(key, new Map());
    need(!this.all(key).has(place) && (after !== "*" || new Set(read).size === read.length), line, `${key} says it twice`);
    need(!["edge", "pair", "c"].includes(key) || index[cut - 2] < index[cut - 1], line, `${key} a b has a < b`);
    this.all(key).set(place, { index, values: read.slice(cut), line });
    return index[0];
  }

  checkNeeds() {
    for (const [key, others] of Object.entries(NEEDS))
      for (const other of others.split(" ")) need(!this.has(key) || this.has(other), this.line(key), `${key} without ${other}`);
  }
}

function readLines(text) {
  const lines = [];
  text.split("\n").forEach((whole, i) => {
    need(/^[\x20-\x7e]*$/.test(whole), i + 1, "this is no plain ASCII text");
    const words = whole.split("#")[0].split(" ").filter((word) => word);
    if (words.length) lines.push([i + 1, words]);
  });
  need(lines.length && lines[0][1].join(" ") === "netdp-proof 1", lines.length ? lines[0][0] : 1, "the file begins with: netdp-proof 1");
  return lines;
}

function read(text) {
  const lines = readLines(text), size = {};
  for (const [, words] of [...lines].reverse()) if (words.length === 2 && /^\d+$/.test(words[1])) size[words[0]] = Number(words[1]);
  const { nodes = 0, phases = 0, rounds = 0, every = 0 } = size;
  const slots = phases || (every ? Math.ceil(rounds / every) : 0);
  const limits = { v: [0, nodes - 1], t: [0, rounds - 1], p: [0, phases - 1], k: [0, slots - 1], i: [1, MOST] };
  const head = new Facts(), questions = [];
  let here = head, outer = head, place = "head";
  for (const [line, words] of lines.slice(1)) {
    let [key, ...rest] = words;
    need(place !== "end", line, "this stands after end");
    if (key === "end" && !rest.length && place !== "head") {
      place = "end";
      continue;
    }
    if (key === "claim" && rest.length) [key, rest] = [`claim-${rest[0]}`, rest.slice(1)];
    let form = PLACES[place].get(key);
    need(form !== undefined, line, `${key} is not known here`);
    const question = questions[questions.length - 1];
    if (key === "source") {
      here = outer = new Facts();
      questions.push(here);
      place = "question";
    }
    if (key === "c" && every && !phases && question.one("sees") !== "everything") form = "k" + form;
    const owner = key === "contribution" ? question : key === "phase" ? outer : here;
    const number = owner.add(form, key, rest, line, limits);
    if (key === "contribution" || key === "phase") {
      here = new Facts();
      owner.blocks.set(number, here);
      place = "block";
      if (key === "contribution") outer = here;
    }
  }
  need(place === "end", lines[lines.length - 1][0], "the file ends with a question and end");
  return [head, questions];
}

// ---- The network

const LAWS = {
  metropolis: (d, e) => 1 + Math.max(d, e), hamilton: (d, e) => Math.max(d, e), "max-degree": (d, e, top) => 1 + top,
  rows: (d) => 1 + d, file: null,
};

class Network {
  constructor(head) {
    head.checkNeeds();
    this.head = head;
    this.n = head.one("nodes", 0);
    need(this.n > 1, head.line("nodes") || 1, "nodes: at least 2");
    this.rounds = head.one("rounds");
    this.phases = head.one("phases", 0);
    this.every = head.one("every", 0);
    this.end = head.one("release");
    this.gamma = head.one("accelerate", ONE);
    this.streams = this.every > 0 && !this.phases;
    this.slots = this.phases || (this.streams ? Math.ceil(this.rounds / this.every) : 1);
    need(head.one("takes-part", 1) <= this.slots, head.line("takes-part"), "takes-part: more than there are phases");
    this.parts = Math.min(head.one("takes-part", head.one("at-most", this.slots)), this.slots);
    for (const { index: [p, s], line } of head.all("correlate").values()) need(s <= p, line, "correlate p q has q at most p");
    need(this.slots <= MOST_SLOTS, head.line("phases") || head.line("every"), "too many contributions");
    const between = ONE.minus(this.gamma).sign() < 0 && this.gamma.atMost(new Fraction(2n));
    need(!head.has("accelerate") || (between && !head.has("change")), head.line("accelerate"),
      "accelerate is above 1 and at most 2, of a network that stays");
    this.readNoise(head);
    this.near = Array.from({ length: this.n }, () => new Set());
    for (const { index: [a, b] } of head.all("edge").values()) this.near[a].add(b), this.near[b].add(a);
    this.readWeights(head);
    this.changes = head.byRound("change");
  }

  takes(t) {
    return this.streams ? t % this.every === 0 : t === 0;
  }

  readNoise(head) {
    this.noise = [];
    for (let t = 0; t < this.rounds; t++) {
      const said = head.get("noise", t), value = said ? said.values[0] : t ? this.noise[t - 1] : ZERO;
      need(!value.isZero() && (!this.takes(t) || value.minus(ONE).isZero()), said ? said.line : head.line("rounds"),
        `round ${t} has noise; where it takes contributions this is 1`);
      this.noise.push(value);
    }
  }

  readWeights(head) {
    const rule = head.one("rule").split(":"), lazy = rule[0] === "lazy" ? nearest(rule[1]) : ZERO;
    const base = rule[0] === "lazy" ? rule[2] || "metropolis" : rule[0], law = LAWS[base], near = this.near;
    need(lazy.minus(ONE).sign() < 0 && (base !== "rows" || (this.phases && !head.has("change"))), head.line("rule"),
      "lazy:K has K below 1; rows is for phases, of a network that stays");
    const top = Math.max(...near.map((set) => set.size)), kept = ONE.minus(lazy), goals = new Map();
    const goalOf = (a, b) => {
      const below = law(near[a].size, near[b].size, top);
      if (!goals.has(below)) goals.set(below, kept.over(new Fraction(BigInt(below))));
      return goals.get(below);
    };
    this.rows = near.map(() => new Map());
    this.columns = near.map(() => new Map());
    for (const { index: [a, b], values: [x], line } of head.all("w").values()) {
      need(a === b ? x.sign() >= 0 : near[a].has(b) && x.sign() > 0, line, "w: no edge, or not above 0");
      const other = head.get("w", b, a);
      need(other && (base === "rows" || other.values[0].minus(x).isZero()), line, `w ${b} ${a} differs`);
      this.rows[a].set(b, x);
      this.columns[b].set(a, x);
      if (!law) continue;
      const rest = a === b ? [...near[a]].reduce((sum, c) => sum.minus(goalOf(a, c)), ONE) : goalOf(a, b);
      const far = ulp(rest).times(new Fraction(BigInt(a === b ? near[a].size + 4 : 2)));
      need(x.minus(rest).size().atMost(far), line, `w is not what ${head.one("rule")} says`);
    }
    this.rows.forEach((row, a) => {
      need(row.size === near[a].size + 1, head.line("nodes"), `w: row ${a} is not whole`);
      this.checkSum(a, row, head.get("w", a, a).line);
    });
  }

  checkSum(a, row, line) {
    const sum = [...row.values()].reduce((x, y) => x.plus(y), ONE.negated()).size();
    need(sum.atMost(new Fraction(BigInt(this.near[a].size + 4), 53)), line, `row ${a} of w does not sum to 1`);
  }

  mixed(changes, t) {
    const other = new Map();
    for (const change of changes) {
      const fresh = new Map();
      for (const { index: [, a, b], values: [x], line } of change.get(t) || []) {
        need(x.sign() >= 0 && (a === b || this.near[a].has(b)), line, "change: no edge, or below 0");
        if (!fresh.has(a)) fresh.set(a, { row: new Map(), line });
        fresh.get(a).row.set(b, x);
      }
      for (const [a, row] of fresh) other.set(a, row);
    }
    const rows = other.size ? this.rows.map((row, a) => (other.has(a) ? other.get(a).row : row)) : this.rows;
    for (const [a, { row, line }] of other) {
      this.checkSum(a, row, line);
      for (const b of this.near[a])
        need((row.get(b) || ZERO).minus(rows[b].get(a) || ZERO).isZero(), line, `row ${a} is not symmetric`);
    }
    return [rows, other];
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

class Question {
  constructor(net, q) {
    q.checkNeeds();
    this.net = net;
    this.q = q;
    this.u = q.one("source");
    this.at = q.line("source");
    this.sees = q.one("sees");
    this.us = new Set(q.get("observers").values);
    this.counts = q.one("own-noise") === "counts";
    need(!this.us.has(this.u), this.at, "the source is an observer");
    need(!this.counts || this.us.size === 1, q.line("own-noise"), "counts is for one observer");
    need(!net.phases || net.end || this.sees === "everything", q.line("sees"),
      "learning: the states are released after every phase, or everything is seen");
  }

  roles(rows, other, t) {
    const active = (v) => [...rows[v]].filter(([b, x]) => b !== v && !x.isZero()).map(([b]) => b);
    const seen = new Set(this.us), silent = new Set();
    if (this.sees === "messages") for (const v of this.us) for (const b of active(v)) seen.add(b);
    if (!this.net.takes(t))
      for (let v = 0; v < rows.length; v++)
        if ((other.has(v) || !this.net.near[v].size) && !active(v).length) silent.add(v);
    return [seen, silent];
  }

  tied(facts, rows, now, seen, silent) {
    const pivots = facts.map(({ values: [p] }) => p);
    const system = facts.map(({ index: [, v], values: [p], line }) => {
      need(this.us.has(v) && !seen.has(p) && !silent.has(p) && !now.has(p) && pivots.filter((x) => x === p).length === 1 &&
        pivots.length <= MOST_TIES, line, `node ${p} cannot keep still what node ${v} receives`);
      let right = ZERO;
      for (const [w, c] of rows[v]) if (now.has(w)) right = right.minus(c.times(now.get(w)));
      return [...pivots.map((x) => rows[v].get(x) || ZERO), right];
    });
    const solved = solve(system);
    need(solved, facts.length ? facts[0].line : 0, "these ties depend on each other");
    pivots.forEach((p, i) => now.set(p, solved[i]));
  }

  displace(block, begin, fixed) {
    const { net } = this, lines = block.byRound("g"), ties = block.byRound("tie"), moves = [];
    const changes = [net.changes, block.byRound("change")], more = net.gamma.minus(ONE);
    let g = new Map(), old = new Map(), columns = null;
    for (let t = 0; ; t++) {
      const a = new Map(t === begin ? [[this.u, ONE]] : []);
      for (const [x, gx] of g) {
        const scaled = t > 1 ? gx.times(net.gamma) : gx;
        for (const [w, c] of columns[x]) add(a, w, c.times(scaled));
      }
      if (t > 1 && !more.isZero()) for (const [x, gx] of old) add(a, x, more.times(gx).negated());
      if (t === net.rounds) {
        if (net.end || this.sees === "sums")
          for (const v of this.us) need((a.get(v) || ZERO).isZero(), this.at, `what node ${v} receives last moves`);
        moves.push(net.end ? a : new Map());
        return moves;
      }
      const [rows, other] = net.mixed(changes, t), [seen, silent] = this.roles(rows, other, t), now = new Map();
      columns = other.size ? rows : net.columns;
      for (const v of silent) if (!seen.has(v) && a.has(v)) now.set(v, a.get(v));
      if (t === 0) for (const [v, x] of fixed) now.set(v, x);
      for (const { index: [, v], values: [x], line } of lines.get(t) || []) {
        need(!now.has(v) && !silent.has(v) && this.sees !== "everything" && (x.isZero() || !seen.has(v)), line,
          `in round ${t} node ${v} has no displacement of its own`);
        now.set(v, x);
      }
      this.tied(ties.get(t) || [], rows, now, seen, silent);
      const move = new Map(now);
      for (const [v, x] of a) add(move, v, x.negated());
      for (const v of this.counts ? silent : new Set([...silent, ...this.us]))
        need((move.get(v) || ZERO).isZero(), this.at, `round ${t}: what comes in at node ${v} moves, and no unknown noise hides it`);
      moves.push(move);
      old = g;
      g = now;
    }
  }

  // What pairs' noise adds in each round, and what it pays.
  pushed(block) {
    const { net } = this, push = new Map(), paid = new Map();
    for (const { index, values: [x], line } of block.all("c").values()) {
      const [a, b] = index.slice(-2), t = index.length > 2 ? index[0] * net.every : 0;
      need(net.head.get("pair", a, b) && (this.counts || (!this.us.has(a) && !this.us.has(b))), line,
        `${a} ${b} is no pair, or the observers know its noise`);
      if (!push.has(t)) push.set(t, new Map());
      const force = x.times(net.head.one("pair-noise"));
      add(push.get(t), a, force);
      add(push.get(t), b, force.negated());
      paid.set(index.join(" "), x);
    }
    return [push, paid];
  }

  vector(blocks, k) {
    const { net } = this, parts = [], drawn = [], known = net.head.has("correlate");
    const scales = [...net.noise, net.end || ONE].map((x) => ONE.over(x.times(x)));
    blocks.forEach((block, p) => {
      const mix = Array.from({ length: known ? p + 1 : 1 }, (_, s) => (known ? (net.head.get("correlate", p, s) || { values: [ZERO] }).values[0] : ONE));
      const own = mix[mix.length - 1];
      need(!own.isZero(), net.head.line("correlate"), `correlate ${p} ${p} is 0 or missing`);
      const begin = known && p !== k ? -1 : net.streams ? k * net.every : 0;
      const [push, paid] = this.pushed(block), carried = new Map(), fixed = new Map();
      drawn.forEach((draw, s) => draw.forEach((x, v) => add(carried, v, mix[s].times(x))));
      for (const { index: [s, v], values: [x], line } of block.all("z").values()) {
        need(known && s === p, line, "z is for noise correlated over phases, in its phase");
        const there = x.plus((push.get(0) || new Map()).get(v) || ZERO);
        fixed.set(v, (carried.get(v) || ZERO).plus(own.times(there)).plus(v === this.u && begin === 0 ? ONE : ZERO));
      }
      const moves = this.displace(block, begin, fixed);
      if (known) {
        for (const [v, x] of carried) add(moves[0], v, x.negated());
        moves[0] = new Map([...moves[0]].map(([v, x]) => [v, x.over(own)]));
        drawn.push(new Map(moves[0]));
      }
      for (const [t, at] of push) for (const [v, x] of at) add(moves[t], v, x.negated());
      parts.push([ONE, paid], ...moves.map((move, i) => [scales[i], move]));
    });
    return parts;
  }

  vectors(joint) {
    const { net, q } = this, places = [q, ...q.blocks.values()], n = net.slots;
    for (const block of q.blocks.values()) places.push(...block.blocks.values());
    for (const block of joint ? places : [q])
      need(!block.has("change"), block.line("change"), "change stands before the first source, or in a phase");
    for (const key of joint ? ["g", "c", "tie", "z"] : []) need(!q.has(key), q.line(key), `${key} stands in the block of a contribution`);
    const inside = net.phases && this.sees !== "everything";
    for (const key of joint ? ["phase"] : inside ? ["contribution"] : ["phase", "contribution"])
      need(!q.has(key), q.line(key), `${key} is not known here`);
    const made = new Map(), empty = new Facts();
    return Array.from({ length: n }, (_, k) => {
      const block = q.blocks.get(k) || (joint ? empty : q);
      if (net.head.has("correlate")) return this.vector(Array.from({ length: n }, (__, p) => block.blocks.get(p) || empty), k);
      if (joint) return this.vector([block], k);
      if (!made.has(block)) made.set(block, this.vector([block], 0));
      return made.get(block);
    });
  }

  loss() {
    const { net, q } = this, n = net.slots, most = net.parts;
    const joint = net.head.has("correlate") || (net.streams && this.sees !== "everything"), vectors = this.vectors(joint);
    const inner = (x, y) => x.reduce((total, [weight, a], i) => {
      let sum = ZERO;
      for (const [v, value] of a) if (y[i][1].has(v)) sum = sum.plus(value.times(y[i][1].get(v)));
      return total + weight.times(sum).ceiling(FINE);
    }, 0n);
    const lost = BigInt(vectors[0].length), bound = joint ? q.one("bound") : "abs-sum";
    const m = vectors.map((x, k) => vectors.map((y, l) => (joint || k === l ? inner(x, y) : 0n)));
    need(bound, this.at, "bound is missing");
    const total = (numbers) => [...numbers].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0)).slice(0, most).reduce((a, b) => a + b, 0n);
    const steps = net.phases && net.every ? net.every : 1;
    const classes = Array.from({ length: Math.min(steps, n) }, (_, r) => Array.from({ length: n }, (__, k) => k).filter((k) => k % steps === r));
    let worst = 0n;
    if (bound === "ones" || bound === "alternating") {
      need(most === n && net.streams, q.line("bound"), `${bound}: of all contributions of a stream`);
      m.forEach((row, k) => row.forEach((x, l) => (worst += bound === "alternating" && (k + l) % 2 ? lost - x : x)));
    } else if (bound === "dual") {
      const y = Array.from({ length: n }, (_, k) => (q.get("y", k) || { values: [ZERO] }).values[0]);
      const floor = y.map((x) => -x.negated().ceiling(FINE));
      need(positive(m.map((row, k) => row.map((x, l) => (k === l ? floor[k] - BigInt(n) * lost : 0n) - x))), q.line("bound"),
        "Diag(y) - V'V is not shown to be positive");
      for (const places of classes) worst = [worst, total(places.map((k) => y[k].ceiling(FINE)))].reduce((a, b) => (a > b ? a : b));
    } else {
      for (const places of classes) {
        const sum = total(places.map((k) => total(places.map((l) => (m[k][l] < 0n ? lost - m[k][l] : m[k][l])))));
        worst = sum > worst ? sum : worst;
      }
    }
    return new Fraction(worst, FINE).times(q.one("weight", net.head.one("weight", ONE)));
  }
}

// ---- The normal distribution, outward

const floor = (x, p) => ((x.n << BigInt(p)) / (x.d << BigInt(x.e)));

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
  const whole = Number(floor(x, 0)), halves = whole.toString(2).length + 8, q = p + 2 * halves + 2 * whole + 66;
  const y = floor(x, q) >> BigInt(halves);
  let total = 0n, term = 1n << BigInt(q);
  for (let k = 1n; term; k++) [total, term] = [total + term, ((term * y) >> BigInt(q)) / k];
  for (let i = 0; i < halves; i++) total = (total * total) >> BigInt(q);
  return total >> BigInt(q - p);
}

// 2^p (x + x^3/3 + x^5/15 + ...): an integer not below it (above = 1n), or not above it (0n).
function series(x, p, above) {
  if (x.sign() < 0) return -series(x.negated(), p, 1n - above);
  const shift = BigInt(p), first = floor(x, p) + above, square = ((first * first) >> shift) + above;
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
  const mu = new Fraction(root(floor(square, 2 * power)) + 1n, power), ratio = epsilon.over(mu);
  const a = ratio.minus(mu.times(half)), b = ratio.plus(mu.times(half));
  if (!a.atMost(new Fraction(40n)) || !b.atMost(new Fraction(100n))) {
    if (a.sign() <= 0) return ONE;
    const bits = floor(a.times(a).times(Fraction.of(18n, 25n)), 0);
    return new Fraction(1n, bits > 20000n ? 20000 : Number(bits));
  }
  const p = 400 + Number(floor(a.times(a).plus(b.times(b)).times(new Fraction(2n)).plus(epsilon.times(new Fraction(3n))), 0));
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
  return `${digits[0]}.${digits.slice(1, 17)}e${digits.length - 1 - power}`;
}

const SAYS = {
  loss: (x) => `loss <= ${x[0]}`, dp: (x) => `epsilon <= ${x[0]} at delta ${x[1]} (noise ${x[2]})`,
  rdp: (x) => `Renyi epsilon <= ${x[0]} at order ${x[1]} (noise ${x[2]})`, gdp: (x) => `mu <= ${x[0]} (noise ${x[1]})`,
};

function claimHolds(kind, numbers, loss) {
  if (kind === "loss") return loss.atMost(numbers[0]);
  const sigma = numbers[numbers.length - 1], square = sigma.times(sigma);
  if (kind === "gdp") return loss.atMost(numbers[0].times(numbers[0]).times(square));
  if (kind === "rdp")
    return !numbers[1].atMost(ONE) && loss.times(numbers[1]).atMost(numbers[0].times(square).times(new Fraction(2n)));
  return loss.isZero() || delta(numbers[0], loss.over(square)).atMost(numbers[1]);
}

function answer(net, q) {
  const question = new Question(net, q), loss = question.loss(), said = [];
  for (const kind of Object.keys(SAYS))
    for (const { values, line } of q.all(`claim-${kind}`).values()) {
      const numbers = values.map(decimal);
      need(kind === "loss" || numbers[numbers.length - 1].sign() > 0, line, "the noise is above 0");
      need(claimHolds(kind, numbers, loss), line, `claim ${kind} ${values.join(" ")} is not proven: the loss is at most ${shown(loss)}`);
      said.push(SAYS[kind](values));
    }
  return words(net, q, question, `holds: ${said.join(", ")} (proven: ${shown(loss)})`);
}

// A double, as people write it.
const plain = (x) => String(Number(x.n) / 2 ** x.e);

// The whole question, in words.
function words(net, q, question, first) {
  const { head } = net, us = [...question.us].sort((a, b) => a - b), rule = head.one("rule"), bound = q.one("bound");
  const weight = q.one("weight", head.one("weight")), has = (key) => head.has(key);
  const sees = { messages: "its own and its neighbours' messages", everything: "every message", sums: "its own messages and the sums it receives" };
  const noise = [...head.all("noise").values()].sort((a, b) => a.index[0] - b.index[0]);
  const rounds = new Set([...head.all("change").values()].map(({ index }) => index[0]));
  return [
    first,
    `of ${head.one("unit") === "row" ? "one record of " : ""}node ${question.u}, towards ${us.length > 1 ? "a coalition of nodes" : "node"} ` +
      `${us.join(", ")} that sees ${sees[question.sees]} and ${question.counts ? "does not use" : "knows"} its own noise`,
    weight && `whose contributions weigh ${plain(weight)}`,
    `${net.n} nodes, ${head.all("edge").size} edges`,
    `weights ${rule}${rule.includes("file") ? ", W is given" : ""}`,
    `${net.rounds} rounds, noise ${noise.map(({ index, values }) => `${plain(values[0])} from round ${index[0]}`).join(", ")}`,
    has("change") && `another network in ${rounds.size} rounds`,
    q.has("phase") && "phases with networks or displacements of their own",
    has("pair") && `pairwise noise ${plain(head.one("pair-noise"))} of ${head.all("pair").size} pairs`,
    has("accelerate") && `accelerated by ${plain(net.gamma)}`,
    net.end && `all states are seen under noise ${plain(net.end)} at the end`,
    net.phases && `${net.phases} phases, of which it takes part in ${net.parts}`,
    net.phases && net.every && `every ${net.every} phases`,
    has("correlate") && "noise correlated over phases",
    net.streams && `contributes every ${net.every} rounds, ${net.parts} times`,
    net.streams && (["abs-sum", "dual"].includes(bound) || question.sees === "everything" ? "any contributions" : `pattern ${bound}`),
  ].filter((text) => text).join("; ");
}

// The answers of a proof file, one a question; or its first line that fails, and why.
export function verify(text) {
  try {
    const [head, questions] = read(text), net = new Network(head);
    return { holds: true, answers: questions.map((q) => answer(net, q)) };
  } catch (failed) {
    if (!(failed instanceof Refused)) throw failed;
    return { holds: false, line: failed.line, why: failed.message };
  }
}
