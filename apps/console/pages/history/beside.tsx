import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, type ReactElement } from 'react';
import { Button } from '../../components/button.js';
import { Panel } from '../../components/page.js';
import { Loaded } from '../../components/states.js';
import { callQuery } from '../../api/queries.js';
import { CallDetails } from './call-details.js';

/** A call beside the list that it was chosen from. */
export function Beside({ id, onClose }: { readonly id: string; readonly onClose: () => void }): ReactElement {
  const call = useQuery(callQuery(id));
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => frame.current?.focus(), []);
  return (
    <aside
      ref={frame}
      tabIndex={-1}
      aria-label="The chosen call"
      className="grid min-w-0 content-start gap-4 outline-none xl:sticky xl:top-4 xl:max-h-[calc(100dvh-2rem)] xl:overflow-auto"
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
    >
      <Panel
        title="Call"
        actions={
          <>
            <Link to="/history/$id" params={{ id }} className="self-center text-sm">
              Page of its own
            </Link>
            <Button onClick={onClose}>Close</Button>
          </>
        }
      >
        <code className="text-sm break-all">{id}</code>
      </Panel>
      <Loaded query={call} rows={8}>
        {(record) => <CallDetails call={record} />}
      </Loaded>
    </aside>
  );
}
