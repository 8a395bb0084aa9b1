import ArrowUp from 'lucide-react/icons/arrow-up';
import CircleX from 'lucide-react/icons/circle-x';
import ListChecks from 'lucide-react/icons/list-checks';
import type { ReactElement } from 'react';
import { buttonClass } from '../../components/button.js';
import { Headline } from '../../components/headline.js';
import { Panel } from '../../components/page.js';
import { Empty } from '../../components/states.js';
import type { Wait } from './use-waits.js';

const KINDS = { new: ['acc', ArrowUp], review: ['', ListChecks], failed: ['bad', CircleX] } as const;
const NAMED = 2;

interface Props {
  readonly waits: readonly Wait[];
}

/** What waits, in one sentence, and the way to the most urgent. */
export function FirstWait({ waits }: Props): ReactElement {
  const [first] = waits;
  if (!first) return <Headline kind="good">Nothing waits for you.</Headline>;
  const left = waits.length - NAMED;
  return (
    <Headline
      kind={first.kind === 'failed' ? 'warn' : 'info'}
      then={left > 0 && `${left} more ${left === 1 ? 'waits' : 'wait'} below.`}
      action={
        <a className={buttonClass('main')} href={first.href}>
          {first.act}
        </a>
      }
    >
      {waits.slice(0, NAMED).map(({ key, title, note }, index) => (
        <span key={key}>
          {index > 0 && '; '}
          <b>{title}</b> {note}
        </span>
      ))}
      .
    </Headline>
  );
}

/** All that waits, each with the way to it. */
export const Waiting = ({ waits }: Props): ReactElement => (
  <Panel title="Waiting for you" actions={waits.length > 0 && <span className="count">{waits.length}</span>}>
    {waits.length === 0 ? (
      <Empty>Nothing waits.</Empty>
    ) : (
      <ul className="rows">
        {waits.map(({ key, kind, title, note, href, act }) => {
          const [tone, Icon] = KINDS[kind];
          return (
            <li key={key}>
              <span className={`tile ${tone}`}>
                <Icon className="i" />
              </span>
              <span className="min-w-0 flex-1">
                <span className="font-[550]">{title}</span> <span className="block text-sm text-muted">{note}</span>
              </span>
              <a className={buttonClass()} href={href}>
                {act}
              </a>
            </li>
          );
        })}
      </ul>
    )}
  </Panel>
);
