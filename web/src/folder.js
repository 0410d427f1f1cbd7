// The data of the page: the summary beside each variant's pairs and graph.
import {number} from './dom.js';

export const page = JSON.parse(document.getElementById('data').textContent);
/** Of an audit there is none. */
export const summary = page.summary ?? {variants: []};

function decode(text, type) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new {f8: Float64Array, f4: Float32Array, i2: Int16Array}[type](bytes.buffer);
}

const told = new Map(summary.variants.map((variant) => [variant.name, variant]));
export const isBaseline = (name) => name === 'central' || name === 'local';

/** What a variant has of its own, or else the study's. */
const own = (variant, key) => variant[key] ?? summary[key];

/** null: it has none, its noise is given; that is its own answer and not the study's. */
const ownTarget = (variant) => ('target' in variant ? variant.target : summary.target) ?? null;

function readPairs(pairs, nodes) {
  if (!pairs) return null;
  const value = decode(pairs.value, pairs.type);
  return {
    ...pairs, nodes, value,
    loss: pairs.loss ? decode(pairs.loss, pairs.type) : null,
    distance: decode(pairs.distance, 'i2'),
    row: new Map(pairs.observers.map((node, k) => [node, k])),
    at: (observer, node) => observer * nodes + node,
  };
}

/** "dp:1e-6" as {kind, parameter}; of older summaries, delta. */
export function readUnit(guarantee) {
  const [kind, parameter] = (guarantee.unit ?? `dp:${guarantee.delta}`).split(':');
  return {kind, parameter: Number(parameter)};
}

export const variants = (page.variants ?? []).map((shown) => {
  const variant = told.get(shown.name);
  const known = own(variant, 'graph');
  const classes = (variant.guarantee.by_distance ?? []).map((one) => ({
    distance: one.distance, pairs: one.pairs,
    min: number(one.min), mean: number(one.mean), max: number(one.max),
  }));
  return {
    name: shown.name, told: variant, guarantee: variant.guarantee, unit: readUnit(variant.guarantee),
    threat: own(variant, 'threat') ?? {}, target: ownTarget(variant),
    protocol: own(variant, 'protocol'), mixing: own(variant, 'mixing'), known,
    sensitivity: variant.sensitivity ?? summary.data?.sensitivity,
    graph: shown.graph === null ? null : page.graphs[shown.graph], why: shown.why, proof: shown.proof,
    pairs: readPairs(shown.pairs, known.nodes), classes,
  };
});

/** Is it computed from private data, with noise that the seed draws? */
export const simulated = page.summary !== undefined && !['account', 'realised', 'claim'].includes(summary.task);
export const simulation = summary.simulation ?? (simulated || page.audit ? 'simulation: whoever has the seed can remove its noise' : null);

/** A node as a reader knows it. */
export function nodeName(variant, node) {
  const name = variant.graph?.names?.[node];
  return name ? `${name} (${node})` : `node ${node}`;
}

export function shortName(variant, node) {
  return variant.graph?.names?.[node] ?? String(node);
}
