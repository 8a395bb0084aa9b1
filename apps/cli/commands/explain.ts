import type { CommandModule } from 'yargs';
import type { Json } from '#domain/json.js';
import { printable } from '#domain/printable.js';
import { apiAt, urlOption } from '../api.js';
import { show, type View } from '../output.js';

interface EventCitation {
  readonly type: string;
  readonly position: string;
  readonly time: string;
}

interface Actor {
  readonly actor: string;
  readonly name: string | null;
}

interface VersionId {
  readonly version_id: string;
}

/** The fields of `GET /inferences/{id}/lineage` that people read. */
interface CallLineage {
  readonly id: string;
  readonly status: string;
  readonly by: Actor & { readonly user: string | null };
  readonly project: { readonly id: string; readonly name: string | null } | null;
  readonly model: {
    readonly asked: string;
    readonly kind: string;
    readonly base_model: string;
    readonly named: {
      readonly name: string;
      readonly version: number;
      readonly put_in_force_by: Actor | null;
      readonly event: EventCitation | null;
    } | null;
    readonly engine: { readonly name: string; readonly version: string } | null;
    readonly weights_sha256: string | null;
    readonly provider: { readonly name: string; readonly model: string } | null;
  };
  readonly training: readonly {
    readonly job_id: string;
    readonly model_name: string;
    readonly started_by: Actor;
    readonly engine: { readonly name: string; readonly version: string };
    readonly weights: { readonly files: readonly { readonly name: string; readonly sha256: string }[] } | null;
    readonly started_from: { readonly job_id: string } | null;
    readonly datasets: readonly VersionId[];
    readonly event: EventCitation;
  }[];
  readonly datasets: readonly (VersionId & {
    readonly name: string;
    readonly version: number;
    readonly sha256: string | null;
    readonly made_by: Actor;
    readonly origin: {
      readonly kind: string;
      readonly merged_from: readonly VersionId[];
      readonly call_ids: readonly string[] | null;
      readonly event: EventCitation;
    };
  })[];
  readonly truncated: boolean;
  readonly price: { readonly cost_picodollars: string; readonly source: string } | null;
  readonly corrections: readonly {
    readonly verdict: string | null;
    readonly by: Actor;
    readonly event: EventCitation;
  }[];
  readonly erased: EventCitation | null;
  readonly event: EventCitation;
}

const NO_TABLE: View = { columns: [], row: () => [], empty: '' };

/** `anneal explain ID`: over HTTP, as the key in KEY. */
export const explainCommand: CommandModule = {
  command: 'explain <id>',
  describe: 'Explain how an answer came to be, with the event that proves each fact; needs an API key in KEY',
  builder: (yargs) =>
    yargs
      .positional('id', { type: 'string', demandOption: true, describe: 'The inference_id of the answer' })
      .options({ url: urlOption })
      .example('npx $0 explain <inference_id>', 'Explain one answer'),
  handler: async (args) => {
    const { body } = await apiAt(args['url'] as string)(
      'GET',
      `/inferences/${encodeURIComponent(args['id'] as string)}/lineage`,
    );
    if (args['json']) await show(only(body), NO_TABLE, true);
    else for (const line of linesOf(body as unknown as CallLineage)) console.log(printable(line));
  },
};

async function* only(body: Json): AsyncGenerator<Json> {
  yield body;
}

const cited = (event: EventCitation | null): string =>
  event ? `  [${event.type} at ${event.position.replace(/^0+(?=\d)/, '')}, ${event.time}]` : '';

const who = ({ actor, name }: Actor): string => (name === null ? actor : `${name} (${actor.split(':', 1)[0]})`);

/** A tree of short lines. */
function linesOf(call: CallLineage): readonly string[] {
  const { model, price } = call;
  return [
    `call ${call.id}, ${call.status}${cited(call.event)}`,
    `  by ${who(call.by)}${call.by.user === null ? '' : ` of ${call.by.user}`}${call.project ? ` for project ${call.project.name ?? call.project.id}` : ''}`,
    `  model ${model.asked}: ${model.kind}, on ${model.base_model}`,
    ...(model.named
      ? [
          `    version ${model.named.version} of ${model.named.name}, put in force by ${model.named.put_in_force_by ? who(model.named.put_in_force_by) : 'nobody known'}${cited(model.named.event)}`,
        ]
      : []),
    // The lines of a training job have its own.
    ...(model.kind === 'base' && model.engine
      ? [`    engine ${model.engine.name} ${model.engine.version}, weights sha256:${model.weights_sha256 ?? 'unknown'}`]
      : []),
    ...(model.provider ? [`    answered by ${model.provider.name}: ${model.provider.model}`] : []),
    ...call.training.flatMap((job) => trainingLines(call, job)),
    ...(call.truncated ? ['  and more jobs or datasets'] : []),
    ...(price ? [`  price ${price.cost_picodollars} picodollars, ${price.source}`] : []),
    ...call.corrections.map(
      ({ verdict, by, event }) => `  judged ${verdict ?? 'no more'} by ${who(by)}${cited(event)}`,
    ),
    ...(call.erased ? [`  content erased${cited(call.erased)}`] : []),
  ];
}

function trainingLines(call: CallLineage, job: CallLineage['training'][number]): readonly string[] {
  return [
    `  trained by job ${job.job_id} (${job.model_name}), started by ${who(job.started_by)}${cited(job.event)}`,
    `    engine ${job.engine.name} ${job.engine.version}`,
    ...(job.weights?.files ?? []).map(({ name, sha256 }) => `    weights ${name} sha256:${sha256}`),
    ...(job.started_from ? [`    from job ${job.started_from.job_id}`] : []),
    ...job.datasets.flatMap(({ version_id }) => datasetLines(call, version_id, '    ')),
  ];
}

function datasetLines(call: CallLineage, id: string, indent: string): readonly string[] {
  const version = call.datasets.find(({ version_id }) => version_id === id);
  if (!version) return [`${indent}dataset version ${id}`];
  const { name, sha256, origin, made_by } = version;
  return [
    `${indent}dataset ${name}/${version.version}, ${origin.kind} by ${who(made_by)}, sha256:${sha256 ?? 'not ready'}${cited(origin.event)}`,
    ...(origin.call_ids ?? []).slice(0, 10).map((callId) => `${indent}  from call ${callId}`),
    ...origin.merged_from.flatMap(({ version_id }) => datasetLines(call, version_id, `${indent}  `)),
  ];
}
