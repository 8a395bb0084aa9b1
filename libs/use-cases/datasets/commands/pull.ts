import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { basename } from 'node:path/posix';
import { Application } from '#application/application.js';
import { callerContext, type Caller, type RequestIdentity } from '#application/caller.js';
import { DATASETS_VISIBLE_IN, datasetStreamId } from '#application/datasets.js';
import { derivedId } from '#log/execute.js';
import { HubTokens } from '#application/hub-tokens.js';
import {
  datasetDecider,
  MAX_LABEL_NAMES_BYTES,
  newVersionId,
  type DatasetType,
  type DatasetVersion,
} from '#domain/dataset/index.js';
import { InvalidError } from '#domain/errors.js';
import { inBytes, labelNamesOf } from '#rows/formats/index.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { WorkQueues } from '../../limits/work-queues.js';
import { allChecks } from '../../all-checks.js';
import { requireProject } from '../../projects/require-project.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { formatAsked, type RowsOrder } from './upload.js';
import { HubConnection } from '../hub-connection.js';
import { hubRequest, type HubRowsOrder } from '../hub-rows.js';
import { requireOwnName } from '../own-name.js';

interface PullOrder extends HubRowsOrder, RowsOrder {
  readonly dataset_type: DatasetType;
}

export class PullFromHub extends CallerCommand<PullOrder, DatasetVersion> {}

@CommandHandler(PullFromHub)
export class PullFromHubHandler implements ICommandHandler<PullFromHub> {
  private readonly tokens: HubTokens;

  constructor(
    private readonly application: Application,
    private readonly settings: Settings,
    private readonly connection: HubConnection,
    private readonly queues: WorkQueues,
    secret: SecretKey,
  ) {
    this.tokens = new HubTokens(application.ports.coordination, secret);
  }

  /**
   * Looks up the files now, and leaves fetching to a worker: the rows are those of the present commit.
   * @throws NotFoundError, InvalidError naming the field, UnavailableError if the hub fails
   * @throws QuotaExceededError
   */
  async execute({ caller, identity, input: body }: PullFromHub): Promise<DatasetVersion> {
    const stream = datasetStreamId(caller.workspaceId, body.dataset_name);
    const known = await this.application.recall(datasetDecider, stream, identity);
    // The command's own version is the last one of this state.
    return (known ?? (await this.begin(caller, identity, body, stream))).versions.at(-1)!;
  }

  private async begin(caller: Caller, identity: RequestIdentity, body: PullOrder, stream: string) {
    const { workspaceId } = caller;
    const [, , { source: from, features }] = await allChecks(
      requireProject(this.application, workspaceId, body.project_id),
      requireOwnName(this.application, workspaceId, body.dataset_name, 'dataset_name'),
      this.connection.hub.find(hubRequest(body)),
    );
    const bytes = from.files.reduce((sum, { size }) => sum + size, 0);
    refuseTooLarge(bytes, this.settings.uploadMaxBytes);
    await this.application.storage.requireRoom(workspaceId, { bytes, rows: 1 });
    const context = callerContext(caller, identity);
    const newId = (what: string) => derivedId(context.commandId, what);
    return this.queues.enter('dataset-processing', caller, async () => {
      const token = body.hf_token ?? null;
      if (token !== null) await this.tokens.keep(newVersionId({ now: context.now, newId }), token);
      const asked = formatAsked(body.format ?? null);
      const [first] = from.files;
      const isOne = from.files.length === 1 && first !== undefined;
      const { state } = await this.application.execute(
        datasetDecider,
        stream,
        {
          type: 'import-version',
          workspaceId,
          name: body.dataset_name,
          datasetType: body.dataset_type,
          // Several files come as one, as lines of JSON.
          ...(isOne ? asked : { ...asked, format: 'jsonl' }),
          fileName: isOne ? basename(first.path).slice(-255) : null,
          columnMapping: body.column_mapping ?? {},
          labelNames: { ...keptNames(features), ...body.label_names },
          ...(body.on_error && { onError: body.on_error }),
          projectId: body.project_id ?? null,
          from: isOne || asked.format === null ? from : { ...from, format: asked.format },
        },
        context,
        DATASETS_VISIBLE_IN,
      );
      return state;
    });
  }
}

function refuseTooLarge(size: number, most: number): void {
  if (size <= most) return;
  throw new InvalidError({
    path: ['body', 'repo_id'],
    message: `has ${inBytes(size)} in this split, more than a dataset may have (${inBytes(most)})`,
    type: 'out_of_range',
  });
}

/** Names of the repository's ClassLabels; none if they are more than an event holds: the file may still have them. */
function keptNames(features: unknown): ReturnType<typeof labelNamesOf> {
  const names = labelNamesOf(features);
  return Buffer.byteLength(JSON.stringify(names)) <= MAX_LABEL_NAMES_BYTES ? names : {};
}
