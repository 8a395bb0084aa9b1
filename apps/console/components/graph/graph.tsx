import { Link } from '@tanstack/react-router';
import { useMemo, useRef, type KeyboardEvent, type ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { counted } from '../values.js';
import { fewer } from './fewer.js';
import { place, type Placed } from './layout.js';

type Graph = Schema['LineageGraph'];
type Node = Graph['nodes'][number];

const [WIDTH, HEIGHT, GAP_X, GAP_Y] = [168, 56, 48, 16];
const left = (column: number): number => column * (WIDTH + GAP_X);
const top = (row: number): number => row * (HEIGHT + GAP_Y);

/**
 * Causes and their results from left to right, and the same as a list. Every node links to its page. Arrow keys move: left to a cause, right to
 * a result, up and down within a column.
 */
export function LineageGraph({ graph: whole }: { readonly graph: Graph }): ReactElement {
  const { graph, leftOut } = useMemo(() => fewer(whole), [whole]);
  const placed = useMemo(() => place(graph.nodes, graph.edges), [graph]);
  const known = new Map(whole.nodes.map((node) => [node.id, node]));
  const frame = useRef<HTMLDivElement>(null);
  const at = new Map(placed.map((each) => [each.node.id, each]));
  const walk = (event: KeyboardEvent, from: Placed<Node>): void => {
    const to = neighbour(event.key, from, placed, graph);
    if (!to) return;
    event.preventDefault();
    frame.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(to.node.id)}"]`)?.focus();
  };
  const width = Math.max(...placed.map(({ column }) => left(column))) + WIDTH;
  const height = Math.max(...placed.map(({ row }) => top(row))) + HEIGHT;
  return (
    <div className="grid gap-3">
      <div
        className="overflow-x-auto p-1"
        role="group"
        aria-label="Lineage, from causes on the left to results on the right"
      >
        <div ref={frame} className="relative" style={{ width, height }}>
          <svg aria-hidden width={width} height={height} className="absolute inset-0 text-muted">
            {graph.edges.map(({ from, to, relation }) => {
              const [a, b] = [at.get(from), at.get(to)];
              return a && b && <Edge key={`${from} ${to} ${relation}`} from={a} to={b} />;
            })}
          </svg>
          {placed.map((each) => (
            <div
              key={each.node.id}
              className="absolute"
              style={{ left: left(each.column), top: top(each.row), width: WIDTH, height: HEIGHT }}
              onKeyDown={(event) => walk(event, each)}
            >
              <NodeLink node={each.node} isRoot={each.node.id === graph.root} />
            </div>
          ))}
        </div>
      </div>
      <p className="text-sm text-muted">
        Arrow keys walk along the lines, Enter opens.
        {leftOut > 0 &&
          ` ${counted(leftOut, 'cause')} like others ${leftOut === 1 ? 'is' : 'are'} not drawn: the list has them.`}
        {graph.truncated && ' There is more than is drawn here.'}
      </p>
      <details>
        <summary className="cursor-pointer text-sm">As a list</summary>
        <ul className="mt-2 grid gap-1 text-sm">
          {whole.edges.map(({ from, to, relation }) => (
            <li key={`${from} ${to} ${relation}`}>
              {nameOf(known.get(from))} <b>{relation.replaceAll('_', ' ')}</b> {nameOf(known.get(to))}
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}

function Edge({ from, to }: { readonly from: Placed<Node>; readonly to: Placed<Node> }): ReactElement {
  const [x1, y1] = [left(from.column) + WIDTH, top(from.row) + HEIGHT / 2];
  const [x2, y2] = [left(to.column), top(to.row) + HEIGHT / 2];
  const bend = (x2 - x1) / 2;
  return (
    <path
      d={`M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
    />
  );
}

const LOOK =
  'grid size-full content-center rounded-md border bg-surface px-2.5 text-left text-sm leading-tight no-underline hover:bg-hover';

function NodeLink({ node, isRoot }: { readonly node: Node; readonly isRoot: boolean }): ReactElement {
  const content = (
    <>
      <span className="truncate text-xs text-muted">{KINDS[node.kind]}</span>
      <span className="truncate font-medium text-text" title={node.label}>
        {node.label}
      </span>
    </>
  );
  const look = `${LOOK} ${isRoot ? 'border-accent' : 'border-line'}`;
  const page = pageOf(node);
  if (page !== null)
    return (
      <a data-node={node.id} href={page} className={look} aria-current={isRoot ? 'true' : undefined}>
        {content}
      </a>
    );
  return node.event ? (
    <Link
      data-node={node.id}
      to="/log"
      search={{ stream: node.event.stream, as_of: node.event.position }}
      className={look}
    >
      {content}
    </Link>
  ) : (
    <div data-node={node.id} tabIndex={0} className={look} role="note">
      {content}
    </div>
  );
}

const KINDS: Readonly<Record<Node['kind'], string>> = {
  call: 'call',
  answers: 'answers',
  correction: 'correction',
  actor: 'by',
  model_version: 'version of a model',
  job: 'training',
  base_model: 'base model',
  dataset_version: 'dataset',
  row: 'row',
};

const nameOf = (node: Node | undefined): string => (node ? `${KINDS[node.kind]} ${node.label}` : 'something left out');

/** Pages of the resources behind the API's routes. */
const PAGES: readonly (readonly [route: RegExp, page: string])[] = [
  [/^\/felix\/training-jobs\/([^/?]+).*$/, '/console/training/$1'],
  [/^\/(?:felix|lineage)\/datasets\/([^/]+)\/([^/?]+).*$/, '/console/datasets/$1/$2'],
  [/^\/models\/([^/?]+).*$/, '/console/models/$1'],
  [/^\/inferences\?(.*)$/, '/console/history?$1'],
  [/^\/inferences\/([^/?]+).*$/, '/console/history/$1'],
];

/** Null if only its event can be shown. */
function pageOf({ link }: Node): string | null {
  const found = link === null ? undefined : PAGES.find(([route]) => route.test(link));
  return found ? link!.replace(...found) : null;
}

function neighbour(
  key: string,
  from: Placed<Node>,
  placed: readonly Placed<Node>[],
  { edges }: Graph,
): Placed<Node> | undefined {
  const { id } = from.node;
  const of = (ids: readonly string[]): Placed<Node> | undefined => placed.find(({ node }) => ids.includes(node.id));
  switch (key) {
    case 'ArrowLeft':
      return of(edges.filter(({ to }) => to === id).map((edge) => edge.from));
    case 'ArrowRight':
      return of(edges.filter((edge) => edge.from === id).map(({ to }) => to));
    case 'ArrowUp':
    case 'ArrowDown':
      return placed.find(
        ({ column, row }) => column === from.column && row === from.row + (key === 'ArrowUp' ? -1 : 1),
      );
    default:
      return undefined;
  }
}
