import { useEffect, useRef, type ReactElement } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Schema } from '../../api/client.js';

type Point = NonNullable<Schema['TrainingJobRecord']['learning_curve']>[number];

const HEIGHT = 260;

/** Training and validation loss (left) and F1 (right), at the end of each epoch. */
export function LearningCurve({ points }: { readonly points: readonly Point[] }): ReactElement {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const at = frame.current;
    if (!at) return;
    const colour = (name: string): string => `var(--${name})`;
    const style = getComputedStyle(at);
    const resolved = (name: string): string => {
      at.style.color = colour(name);
      const value = style.color;
      at.style.color = '';
      return value;
    };
    const [text, line] = [resolved('muted'), resolved('line')];
    const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line } };
    const plot = new uPlot(
      {
        width: at.clientWidth,
        height: HEIGHT,
        scales: { x: { time: false }, f1: { range: [0, 1] } },
        axes: [
          { ...axis, label: 'step' },
          { ...axis, label: 'loss' },
          { ...axis, label: 'F1', scale: 'f1', side: 1, grid: { show: false } },
        ],
        series: [
          { label: 'Step' },
          { label: 'Training loss', stroke: resolved('warn'), width: 2 },
          { label: 'Validation loss', stroke: resolved('accent'), width: 2 },
          { label: 'F1', stroke: resolved('good'), width: 2, scale: 'f1' },
        ],
      },
      [
        points.map(({ step }) => step),
        points.map(({ training_loss }) => training_loss),
        points.map(({ validation_loss }) => validation_loss),
        points.map(({ f1 }) => f1),
      ],
      at,
    );
    const resize = new ResizeObserver(() => plot.setSize({ width: at.clientWidth, height: HEIGHT }));
    resize.observe(at);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [points]);
  const last = points.at(-1);
  const summary = last
    ? `After ${last.step} steps: training loss ${last.training_loss.toFixed(3)}, F1 ${last.f1 ?? 'not measured'}`
    : '';
  return <div ref={frame} role="img" aria-label={summary} className="min-h-72 min-w-0 overflow-hidden" />;
}
