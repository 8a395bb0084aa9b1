import { ApiProperty } from '@nestjs/swagger';
import { VersionReference } from '../../training-jobs/requests/version-reference.js';
import { BodyItems, BodyText } from '../../../edge/validation/index.js';
import { DatasetName } from '../versions/body-fields.js';

class MergeSourceReference {
  @BodyText({ max: 128, description: 'Name of a dataset' }) dataset_name!: string;
  @VersionReference() version?: string | number | null;
}

export class MergeBody {
  @BodyItems(MergeSourceReference, {
    ...{ min: 2, max: 100, item: '{dataset_name, version?}', tooFew: 'must name at least two datasets' },
    description: 'All of one type.',
  })
  sources!: MergeSourceReference[];

  @DatasetName({ description: 'An existing dataset gets a new version.' }) output_name!: string;
}

export class Merged {
  @ApiProperty() dataset_name!: string;
  @ApiProperty({ example: '1' }) version!: string;
  @ApiProperty({ description: 'Rows.' }) sample_size!: number;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { tickets: 120, mails: 80 },
    description: 'Rows of each dataset, by name.',
  })
  source_counts!: Record<string, number>;
}
