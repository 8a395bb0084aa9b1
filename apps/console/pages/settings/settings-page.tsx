import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useWorkspace } from '../../api/workspace.js';
import { Page, Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Proposals } from '../../components/proposals.js';
import { Loaded } from '../../components/states.js';
import { Analysts } from './analysts.js';
import { DataUse } from './data-use.js';
import { Limits } from './limits.js';
import { Retention } from './retention.js';
import { TwoPeople } from './two-people.js';

/** What holds for the whole workspace. */
export function SettingsPage(): ReactElement {
  const workspace = useWorkspace();
  return (
    <Page title="Settings" intro="What holds for the whole workspace. An owner changes it, and the log keeps who did.">
      <Proposals />
      <div className="columns even">
        <div>
          <Panel title="Two people">
            <Loaded query={workspace} rows={3}>
              {({ two_people }) => <TwoPeople acts={two_people} />}
            </Loaded>
          </Panel>
          <Retention />
        </div>
        <div>
          <Panel title="Who sees contents">
            <Loaded query={workspace} rows={3}>
              {({ analysts_see_content }) => <Analysts see={analysts_see_content} />}
            </Loaded>
          </Panel>
          <DataUse />
          <Panel title="Set in its own place">
            <Elsewhere />
          </Panel>
        </div>
      </div>
      <Limits />
    </Page>
  );
}

const Elsewhere = (): ReactElement => (
  <ul className="grid gap-2 text-sm">
    <li>
      <Link to="/people">Who is in the workspace, and with which role</Link>
    </li>
    <Permitted sends="GET /list-api-keys">
      <li>
        <Link to="/keys">Budgets and rates of each API key</Link>
      </li>
    </Permitted>
    <li>
      <Link to="/models">When a name trains again, and what its gate wants: the policy of each model</Link>
    </li>
    <li>
      <Link to="/webhooks">Who is told what: webhooks</Link>
    </li>
    <li>
      <Link to="/contents">What the law has you keep: legal holds</Link>
    </li>
  </ul>
);
