import { ApiProperty } from '@nestjs/swagger';
import { SETTINGS_OF, type SettingsOf } from '#domain/settings/index.js';
import { WORK_KINDS } from '#gpu-runner/contract/work.js';
import { QueryInteger } from '../../edge/validation/index.js';

export class SettingInForce {
  @ApiProperty({ example: 'ANNEAL_DATA_DIR' }) name!: string;
  @ApiProperty({
    ...{ type: String, nullable: true },
    description:
      'null if unset; `(secret)` for a secret; for an address that may contain a password, only its adapter.',
  })
  value!: string | null;
  @ApiProperty({ description: 'Whether it differs from the default.' }) is_set!: boolean;
  @ApiProperty({ description: 'As the documentation prints it.' }) default!: string;
  @ApiProperty() meaning!: string;
}

export class SettingsInForce {
  @ApiProperty({ type: [SettingInForce], description: 'Settings of the process that answers.' })
  settings!: readonly SettingInForce[];
}

export class SettingsChangesQuery {
  @QueryInteger({ min: 1, max: 1000, default: 100 }) limit: number = 100;
}

class SettingsChange {
  @ApiProperty({ example: 'ANNEAL_HUB_URL', description: 'A setting, or a field of a model or a provider.' })
  name!: string;
  @ApiProperty({ ...{ type: String, nullable: true }, description: 'null: the default, or none.' })
  before!: string | null;
  @ApiProperty({ ...{ type: String, nullable: true }, description: 'Of a secret, a keyed hash.' })
  after!: string | null;
  @ApiProperty({
    enum: SETTINGS_OF,
    description: 'The role of the process; `catalog`: the files of models and providers.',
  })
  of!: SettingsOf;
  @ApiProperty({ format: 'date-time' }) found_at!: string;
  @ApiProperty({ type: String, nullable: true, description: 'The user of the operating system who ran the process.' })
  by!: string | null;
  @ApiProperty({ example: 'ANNEAL_TORCH_PROCESSES changed from 2 to 4, found at the start of api by ada' })
  sentence!: string;
}

export class SettingsChanges {
  @ApiProperty({ type: [SettingsChange] }) changes!: readonly SettingsChange[];
}

export class QueuedWork {
  @ApiProperty({ enum: WORK_KINDS }) kind!: string;
  @ApiProperty({ type: 'integer', description: 'Work that no runner has taken.' }) waiting!: number;
  @ApiProperty({ type: 'integer', description: 'Work that runners have taken.' }) running!: number;
}

export class OperatorQueue {
  @ApiProperty({ type: [QueuedWork], description: 'Work of all workspaces.' }) queue!: readonly QueuedWork[];
}

class RunnerEngine {
  @ApiProperty() name!: string;
  @ApiProperty() version!: string;
  @ApiProperty({ type: [String], description: 'Catalog ids of the models that it trains and serves.' })
  base_models!: string[];
}

class RunnerRoom {
  @ApiProperty({ type: 'integer' }) training!: number;
  @ApiProperty({ type: 'integer' }) evaluation!: number;
  @ApiProperty({ type: 'integer' }) export!: number;
}

class RunnerAttempt {
  @ApiProperty({ enum: WORK_KINDS }) kind!: string;
  @ApiProperty({ description: 'Id of the job, evaluation or export.' }) id!: string;
  @ApiProperty({ type: 'integer' }) attempt!: number;
  @ApiProperty({ type: 'integer', description: '0 to 100.' }) progress_percent!: number;
}

class RunnerServing {
  @ApiProperty({ type: 'integer', description: 'Number of models in the memory of engine processes.' })
  in_process!: number;
  @ApiProperty({ type: 'integer', description: 'Bytes of trained models on its disk.' }) cached_bytes!: number;
  @ApiProperty({ type: 'integer', description: 'Calls that are accepted and not yet answered.' }) calls!: number;
  @ApiProperty({ type: 'integer', description: 'Characters of waiting calls.' }) waiting_characters!: number;
  @ApiProperty({ type: 'integer' }) waiting_generations!: number;
  @ApiProperty({ type: 'integer', description: 'Since the runner started.' }) input_tokens!: number;
  @ApiProperty({ type: 'integer', description: 'Since the runner started.' }) output_tokens!: number;
}

export class RunnerRecord {
  @ApiProperty() name!: string;
  @ApiProperty({ description: 'Whether it was heard in the last 5 s.' }) present!: boolean;
  @ApiProperty({ type: 'integer', description: 'Milliseconds since its last heartbeat.' }) last_heard_ms!: number;
  @ApiProperty({ type: [RunnerEngine] }) engines!: RunnerEngine[];
  @ApiProperty({ type: RunnerRoom, description: 'Number of attempts that it can run at the same time.' })
  room!: RunnerRoom;
  @ApiProperty({ type: [RunnerAttempt], description: 'Attempts that run now.' }) attempts!: RunnerAttempt[];
  @ApiProperty({ type: [String], description: 'Jobs whose models are loaded, most recently used first; at most 100.' })
  loaded!: string[];
  @ApiProperty({ type: [String], description: 'Jobs whose models it is fetching.' }) loading!: string[];
  @ApiProperty({ type: [String], description: 'Jobs whose models it could not load.' }) failed!: string[];
  @ApiProperty({ type: [String], description: 'Base models that it generates text with.' }) generates!: string[];
  @ApiProperty({ type: RunnerServing, nullable: true, description: 'null: it serves no models now.' })
  serving!: RunnerServing | null;
}

export class RunnerList {
  @ApiProperty({ type: [RunnerRecord], description: 'Runners heard by the process that answers, by name.' })
  runners!: readonly RunnerRecord[];
}
