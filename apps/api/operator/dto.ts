import { ApiProperty } from '@nestjs/swagger';

export class SettingInForce {
  @ApiProperty({ example: 'ANNEAL_DATA_DIR' }) name!: string;
  @ApiProperty({
    ...{ type: String, nullable: true },
    description:
      'null where nothing is set; `(secret)` for a secret; of an address that may hold a password, its adapter.',
  })
  value!: string | null;
  @ApiProperty({ description: 'Whether it differs from the default.' }) is_set!: boolean;
  @ApiProperty({ description: 'As the documentation prints it.' }) default!: string;
  @ApiProperty() meaning!: string;
}

export class SettingsInForce {
  @ApiProperty({ type: [SettingInForce], description: 'Of the process that answers.' })
  settings!: readonly SettingInForce[];
}

export class QueuedWork {
  @ApiProperty({ enum: ['training', 'evaluation', 'export'] }) kind!: string;
  @ApiProperty({ type: 'integer', description: 'That no runner has taken.' }) waiting!: number;
  @ApiProperty({ type: 'integer', description: 'That runners have.' }) running!: number;
}

export class OperatorQueue {
  @ApiProperty({ type: [QueuedWork], description: 'Of all workspaces.' }) queue!: readonly QueuedWork[];
}

class RunnerEngine {
  @ApiProperty() name!: string;
  @ApiProperty() version!: string;
  @ApiProperty({ type: [String], description: 'Catalog ids of what it trains and serves.' }) base_models!: string[];
}

class RunnerRoom {
  @ApiProperty({ type: 'integer' }) training!: number;
  @ApiProperty({ type: 'integer' }) evaluation!: number;
  @ApiProperty({ type: 'integer' }) export!: number;
}

class RunnerAttempt {
  @ApiProperty({ enum: ['training', 'evaluation', 'export'] }) kind!: string;
  @ApiProperty({ description: 'Of the job, evaluation or export.' }) id!: string;
  @ApiProperty({ type: 'integer' }) attempt!: number;
  @ApiProperty({ type: 'integer', description: '0 to 100.' }) progress_percent!: number;
}

class RunnerServing {
  @ApiProperty({ type: 'integer', description: "Models in the memory of engines' processes." }) in_process!: number;
  @ApiProperty({ type: 'integer', description: 'Bytes of trained models on its disk.' }) cached_bytes!: number;
  @ApiProperty({ type: 'integer', description: 'Accepted and not answered.' }) calls!: number;
  @ApiProperty({ type: 'integer', description: 'Of calls that wait.' }) waiting_characters!: number;
  @ApiProperty({ type: 'integer' }) waiting_generations!: number;
  @ApiProperty({ type: 'integer', description: 'Since the runner started.' }) input_tokens!: number;
  @ApiProperty({ type: 'integer', description: 'Since the runner started.' }) output_tokens!: number;
}

export class RunnerRecord {
  @ApiProperty() name!: string;
  @ApiProperty({ description: 'Heard in the last 5 s.' }) present!: boolean;
  @ApiProperty({ type: 'integer', description: 'Milliseconds since its last heartbeat.' }) last_heard_ms!: number;
  @ApiProperty({ type: [RunnerEngine] }) engines!: RunnerEngine[];
  @ApiProperty({ type: RunnerRoom, description: 'How many it runs at a time.' }) room!: RunnerRoom;
  @ApiProperty({ type: [RunnerAttempt], description: 'That run now.' }) attempts!: RunnerAttempt[];
  @ApiProperty({ type: [String], description: 'Jobs whose models it has, the last used ones first; at most 100.' })
  loaded!: string[];
  @ApiProperty({ type: [String], description: 'Jobs whose models it is fetching.' }) loading!: string[];
  @ApiProperty({ type: [String], description: 'Jobs whose models it could not load.' }) failed!: string[];
  @ApiProperty({ type: [String], description: 'Base models that it generates text with.' }) generates!: string[];
  @ApiProperty({ type: RunnerServing, nullable: true, description: 'null: it serves no models now.' })
  serving!: RunnerServing | null;
}

export class RunnerList {
  @ApiProperty({ type: [RunnerRecord], description: 'Heard by the process that answers, by name.' })
  runners!: readonly RunnerRecord[];
}
