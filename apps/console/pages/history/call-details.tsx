import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { LineageGraph } from '../../components/graph/graph.js';
import { Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Loaded } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { dollars, duration, number, Time } from '../../components/values.js';
import { AnsweredBy } from './answered-by.js';
import { Drawn } from './drawn.js';
import { Feedback } from './feedback.js';
import { Lineage } from './lineage.js';
import type { Call } from './use-calls.js';

/** A call's request and answer, its feedback, its record, and its lineage. */
export function CallDetails({ call, wide = false }: { readonly call: Call; readonly wide?: boolean }): ReactElement {
  return (
    <>
      <div className={wide ? 'columns' : 'contents'}>
        <div className={wide ? '' : 'contents'}>
          <Panel title="Answer">
            <Drawn call={call} />
          </Panel>
          <Panel title="Feedback">
            <Feedback call={call} />
          </Panel>
        </div>
        <Panel title="Record">
          <Facts call={call} />
        </Panel>
      </div>
      <Permitted sends="GET /inferences/{id}/lineage">
        <LineageOf id={call.id} />
      </Permitted>
    </>
  );
}

function LineageOf({ id }: { readonly id: string }): ReactElement {
  const lineage = useQuery({
    queryKey: ['call', id, 'lineage'],
    queryFn: () => body(api.GET('/inferences/{id}/lineage', { params: { path: { id } } })),
  });
  return (
    <Panel title="Lineage">
      <Loaded query={lineage} rows={6}>
        {(facts) => (
          <div className="grid gap-4">
            <LineageGraph graph={facts.graph} />
            <details>
              <summary className="mb-3">Each step, with ids, hashes and events</summary>
              <Lineage facts={facts} />
            </details>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

/** What to give a provider's support, and which of its models answered. */
function providerFacts({ name, model, ...response }: NonNullable<Call['provider']>) {
  return {
    Provider: `${name}, ${response.response_model ? `${response.response_model} (asked for ${model})` : model}`,
    ...(response.response_id && { 'Response id': response.response_id }),
    ...(response.system_fingerprint && { Fingerprint: response.system_fingerprint }),
  };
}

function Facts({ call }: { readonly call: Call }): ReactElement {
  const facts = {
    Time: <Time at={call.created_at} />,
    Status: <Status status={call.status} />,
    ...(call.error_message && { Error: call.error_message }),
    Model: call.model_name,
    ...(call.cascade && { 'Answered by': <AnsweredBy cascade={call.cascade} /> }),
    'Base model': call.base_model,
    Task: call.task.replaceAll('_', ' '),
    Latency: call.latency_ms === null ? 'unknown' : duration(call.latency_ms),
    Tokens: `${number(call.input_tokens)} in, ${number(call.output_tokens)} out`,
    Cost: dollars(call.cost),
    ...(call.provider && providerFacts(call.provider)),
    Source: `${call.source}, ${call.format}`,
  };
  return (
    <dl className="kv">
      {Object.entries(facts).map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
