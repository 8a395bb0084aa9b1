import { useEffect, useRef, type ReactElement } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface Line {
  readonly label: string;
  /** As many as `x` has; null for missing measurements. */
  readonly values: readonly (number | null | undefined)[];
  /** That of a state, or of a place in a set, from 1 on. */
  readonly colour: 'accent' | 'good' | 'info' | 'bad' | 'muted' | `l${number}-solid`;
  /** Drawn against the axis on the right. */
  readonly right?: boolean;
  /** A mark at each value, however many there are. */
  readonly points?: boolean;
  /** Bars instead of a line. */
  readonly bars?: boolean;
}

interface Axis {
  /** The unit, or the things counted. */
  readonly label: string;
  /** Left out, the axis fits its values. */
  readonly range?: readonly [number, number];
}

interface Props {
  /** Summary of the chart for screen readers, such as its last or its greatest value. */
  readonly summary: string;
  /** Ascending. With `time`, seconds since 1970, shown in the browser's time zone. */
  readonly x: Axis & { readonly values: readonly number[]; readonly time?: boolean };
  readonly left: Axis;
  readonly right?: Axis;
  readonly lines: readonly Line[];
  /** In pixels. */
  readonly height?: number;
}

/** Lines or bars over steps or time, with the values at the pointer below it. Its colours follow the theme. */
export function Chart({ summary, x, left, right, lines, height = 260 }: Props): ReactElement {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const data = [x.values, ...lines.map(({ values }) => values)] as uPlot.AlignedData;
  const latest = useRef(data);
  latest.current = data;
  // The chart is rebuilt only when its shape changes, not for new values.
  const shape = JSON.stringify([
    x.label,
    x.time,
    left,
    right,
    height,
    lines.map(({ values: _values, ...line }) => line),
  ]);
  useEffect(() => {
    const at = frame.current;
    if (!at) return;
    const colour = (name: string) => () => resolved(at, name);
    const axis = {
      stroke: colour('muted'),
      font: `500 11px ${getComputedStyle(at).fontFamily}`,
      labelFont: `500 11px ${getComputedStyle(at).fontFamily}`,
      grid: { stroke: colour('line'), width: 1 },
      ticks: { stroke: colour('line') },
    };
    const built = new uPlot(
      {
        width: at.clientWidth,
        height,
        scales: {
          x: { time: x.time ?? false },
          y: left.range ? { range: [...left.range] } : {},
          ...(right && { right: right.range ? { range: [...right.range] } : {} }),
        },
        axes: [
          { ...axis, label: x.label },
          { ...axis, label: left.label },
          ...(right ? [{ ...axis, label: right.label, scale: 'right', side: 1 as const, grid: { show: false } }] : []),
        ],
        // Until something is pointed at, the legend has no values.
        hooks: { setLegend: [({ root, cursor }) => root.classList.toggle('pointed', cursor.idx != null)] },
        series: [
          { label: x.label },
          ...lines.map((line) => ({
            label: line.label,
            stroke: colour(line.colour),
            width: 2,
            scale: line.right ? 'right' : 'y',
            spanGaps: true,
            ...(line.points && { points: { show: true, size: 8 } }),
            ...(line.bars && { fill: colour(line.colour), paths: uPlot.paths.bars!({ size: [0.7, 60] }) }),
          })),
        ],
      },
      latest.current,
      at,
    );
    plot.current = built;
    const resize = new ResizeObserver(() => built.setSize({ width: at.clientWidth, height }));
    resize.observe(at);
    const redraw = (): void => built.redraw();
    const theme = new MutationObserver(redraw);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', redraw);
    return () => {
      resize.disconnect();
      theme.disconnect();
      system.removeEventListener('change', redraw);
      built.destroy();
      plot.current = null;
    };
  }, [shape]);
  const values = JSON.stringify(data);
  useEffect(() => plot.current?.setData(latest.current), [values]);
  return (
    <div
      ref={frame}
      role="img"
      aria-label={summary}
      className="min-w-0 overflow-hidden"
      style={{ minHeight: height + 28 }}
    />
  );
}

/** A colour of the theme in force, as a canvas takes it. */
function resolved(at: HTMLElement, name: string): string {
  at.style.color = `var(--${name === 'accent' ? 'chart-new' : name})`;
  const value = getComputedStyle(at).color;
  at.style.color = '';
  return value;
}
