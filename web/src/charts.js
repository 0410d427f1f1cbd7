// Curves by uPlot, drawn again when theme or width change.
import uPlot from 'uplot/dist/uPlot.esm.js';
import {isPrinting, onTheme, theme} from './colour.js';
import {show} from './dom.js';

/**
 * make(): {data, series: [{label, colour, dash?, points?}], bands?, x, y, log} or null. Draws into
 * `container`, which has the text of `label` for those who do not see it.
 */
export function chart(container, make) {
  let plot = null;
  function draw() {
    plot?.destroy();
    plot = null;
    const wanted = make();
    if (!wanted) return;
    const colours = theme();
    const axis = (label) => ({label, stroke: colours.muted, labelFont: '13px system-ui, sans-serif', font: '12px system-ui, sans-serif',
      grid: {stroke: colours.grid, width: 1}, ticks: {stroke: colours.grid, width: 1}, labelSize: 22, gap: 4});
    plot = new uPlot({
      width: isPrinting() ? 620 : Math.max(260, Math.min(760, container.clientWidth)), height: 300,
      scales: {x: {time: false, range: wanted.range}, y: {distr: wanted.log ? 3 : 1, range: wanted.log ? undefined : (_, low, high) => [Math.min(0, low), high * 1.06 || 1]}},
      axes: [
        {...axis(wanted.x), incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6], values: (_, ticks) => ticks.map((tick) => show(tick))},
        {...axis(wanted.y), size: 62, values: (_, ticks) => ticks.map((tick) => (tick === null ? '' : show(tick, 3)))},
      ],
      series: [{label: wanted.x}, ...wanted.series.map((one) => ({
        label: one.label, stroke: one.colour, width: 2, dash: one.dash, spanGaps: true,
        points: {show: one.points ?? true, size: 7, fill: one.hollow ? colours.ground : one.colour, stroke: one.colour},
        value: (_, value) => (value === null || value === undefined ? '' : show(value)),
      }))],
      bands: wanted.bands, cursor: {drag: {x: false, y: false}, points: {size: 9}}, legend: {live: true, markers: {width: 0, fill: (_, i) => wanted.series[i - 1]?.colour}},
    }, wanted.data, container);
  }
  draw();
  onTheme(draw);
  let width = container.clientWidth;
  new ResizeObserver(() => {
    if (Math.abs(container.clientWidth - width) < 8) return;
    width = container.clientWidth;
    draw();
  }).observe(container);
  return draw;
}
