import type { ReactElement } from 'react';

const STEP = 26;
const SIZE = 23;
const MIDDLE = (SIZE - 1) / 2;

interface Atom {
  readonly x: number;
  readonly y: number;
  /** 1 (cold) to 7. */
  readonly heat: number;
}

/** Atoms of a metal that cools: in the middle they have found their places, at the rim they still move. */
const ATOMS: readonly Atom[] = Array.from({ length: SIZE * SIZE }, (_, at) => {
  const [column, row] = [at % SIZE, Math.floor(at / SIZE)];
  const away = Math.min(1, Math.hypot(column - MIDDLE, row - MIDDLE) / MIDDLE);
  const moved = away ** 2.2 * STEP * 0.55;
  return {
    x: (column + 0.5) * STEP + moved * wave(at, 12.9898),
    y: (row + 0.5) * STEP + moved * wave(at, 78.233),
    heat: Math.max(1, Math.min(7, Math.round(7 - away * 6))),
  };
});

/** −1 to 1, the same at each drawing. */
function wave(at: number, by: number): number {
  const value = Math.sin((at + 1) * by) * 43_758.5453;
  return 2 * (value - Math.floor(value)) - 1;
}

export const Lattice = (): ReactElement => (
  <svg
    viewBox={`0 0 ${SIZE * STEP} ${SIZE * STEP}`}
    preserveAspectRatio="xMidYMid slice"
    className="size-full"
    aria-hidden
  >
    {ATOMS.map(({ x, y, heat }, at) => (
      <circle key={at} cx={x} cy={y} r={5} style={{ fill: `var(--heat-${heat})` }} />
    ))}
  </svg>
);
