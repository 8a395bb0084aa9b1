import { ApiProperty } from '@nestjs/swagger';
import { BodyInteger } from '../../../edge/validation/index.js';
import { DatasetVersionRecord } from '../versions/dto.js';

export class RestoreBody {
  @BodyInteger({
    optional: true,
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description: 'Default: all versions that were ready.',
  })
  version?: number | null;
}

class DeletedDatasetVersion extends DatasetVersionRecord {
  @ApiProperty({ format: 'date-time' }) deleted_at!: string;
}

export class DeletedVersions {
  @ApiProperty() success!: boolean;
  @ApiProperty() count!: number;
  @ApiProperty({ type: [DeletedDatasetVersion] }) versions!: DeletedDatasetVersion[];
}
