// The graph: nodes coloured by what the chosen observer could learn about them.
import cytoscape from 'cytoscape/dist/cytoscape.esm.mjs';
import {isPrinting, onTheme, shade, theme} from './colour.js';
import {shortName} from './folder.js';

const LABELLED = 64;

/** Side of the drawing: nodes keep their size, so that a large graph is a large drawing. */
const side = (n) => 60 * Math.sqrt(n) + 200;

function style(n, m) {
  const colours = theme();
  const size = 22;
  const shrinks = Math.max(1, side(n) / 800); // what must be read at any size grows against it
  return [
    {selector: 'node', style: {
      width: size, height: size, 'background-color': 'data(colour)', 'border-width': 1.2,
      'border-color': colours.muted, label: n <= LABELLED ? 'data(label)' : '', color: colours.text,
      'font-size': 11, 'font-family': 'system-ui, sans-serif', 'text-valign': 'bottom', 'text-margin-y': 3,
      'text-outline-color': colours.ground, 'text-outline-width': 2, 'overlay-opacity': 0,
    }},
    {selector: 'node.observer', style: {
      shape: 'star', width: size * 1.9 * Math.sqrt(shrinks), height: size * 1.9 * Math.sqrt(shrinks), 'background-color': colours.accent, 'border-color': colours.text,
      'border-width': 1.5, 'z-index': 10, label: 'data(label)', 'font-weight': 700,
      'font-size': 12 * shrinks,
    }},
    {selector: 'node.hovered', style: {'border-width': 3, 'border-color': colours.text, label: 'data(label)', 'z-index': 11, 'font-size': 12 * shrinks}},
    {selector: 'edge', style: {
      width: m > 800 ? 1.5 : 1.2, 'line-color': colours.line, 'curve-style': 'haystack', 'overlay-opacity': 0,
      opacity: m > 5000 ? 0.35 : m > 800 ? 0.6 : 1, events: 'no',
    }},
  ];
}

/** Draws into `container`; choose(node) is called on a click, hover(node or null) while pointing. */
export function drawGraph(container, choose, hover) {
  let cy = null, variant = null, shownFor = null, parts = null;
  const paper = document.createElement('div');
  paper.className = 'paper';
  container.after(paper);

  function show(next) {
    variant = next;
    if (shownFor === next.graph) return;
    shownFor = next.graph;
    cy?.destroy();
    cy = null;
    container.hidden = !next.graph?.edges;
    if (container.hidden) return;
    const {x, y, edges} = next.graph;
    const spread = side(x.length);
    const elements = x.map((_, i) => ({data: {id: String(i), label: shortName(next, i), colour: theme().none},
      position: {x: x[i] / 10000 * spread, y: (10000 - y[i]) / 10000 * spread}}));
    for (let i = 0; i < edges.length; i += 2) {
      elements.push({data: {id: `e${i}`, source: String(edges[i]), target: String(edges[i + 1])}});
    }
    cy = cytoscape({
      container, elements, style: style(x.length, edges.length / 2), layout: {name: 'preset', fit: true, padding: 24},
      userZoomingEnabled: false, boxSelectionEnabled: false, autoungrabify: true, autounselectify: true,
      hideEdgesOnViewport: edges.length > 20000, minZoom: 0.02, maxZoom: 12,
    });
    cy.on('resize', () => cy.fit(undefined, 24));
    cy.on('tap', 'node', (event) => choose(Number(event.target.id())));
    cy.on('mouseover', 'node', (event) => { event.target.addClass('hovered'); container.style.cursor = 'pointer'; hover(Number(event.target.id())); });
    cy.on('mouseout', 'node', (event) => { event.target.removeClass('hovered'); container.style.cursor = ''; hover(null); });
  }

  /** parts[node]: 0 .. 1, NaN where there is no value; observers are marked. */
  function colour(next, observers) {
    parts = {next, observers};
    if (!cy) return;
    const marked = new Set(observers.map(String));
    cy.batch(() => cy.nodes().forEach((node) => {
      const part = next[Number(node.id())];
      node.data('colour', Number.isNaN(part) ? theme().none : shade(part));
      node.toggleClass('observer', marked.has(node.id()));
    }));
  }

  function repaint() {
    if (!cy) return;
    cy.style().fromJson(style(cy.nodes().length, cy.edges().length)).update();
    if (parts) colour(parts.next, parts.observers);
    // A canvas is drawn in the next frame, which never comes before printing: so by hand.
    paper.replaceChildren(...(isPrinting() ? [cy.renderer().bufferCanvasImage({full: true, scale: Math.min(3, 1600 / cy.width())})] : []));
  }
  onTheme(repaint);

  return {
    show, colour,
    zoom(factor) {
      cy?.zoom({level: cy.zoom() * factor, renderedPosition: {x: cy.width() / 2, y: cy.height() / 2}});
    },
    fit: () => cy?.fit(undefined, 24),
    /** For tests: what a node shows. */
    node: (id) => ({...cy.getElementById(String(id)).data(), painted: cy.getElementById(String(id)).style('background-color')}),
  };
}
