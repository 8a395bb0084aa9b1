import { ApiProperty } from '@nestjs/swagger';
import { EventCitation } from '../events/citation-dto.js';
import { QueryBoolean, QueryText } from '../../edge/validation/index.js';

const CASCADE =
  'Also erases the dataset versions that contain texts of the call: versions from feedback, versions merged from those, and files of its batch. If one is in use or under a legal hold, the answer is a 409 that names them.';

export class EraseOneQuery {
  @QueryBoolean(CASCADE) cascade?: boolean;
}

export class EraseQuery extends EraseOneQuery {
  @QueryText('Required. The data subject: `user`, `safety_identifier` or `metadata.user_id` of the requests.')
  subject?: string;
}

export class DestroyedKey {
  @ApiProperty() id!: string;
  @ApiProperty({ description: 'The first 16 hexadecimal digits of the SHA-256 of the key.' }) fingerprint!: string;
}

class LearnedVersion {
  @ApiProperty() version_id!: string;
  @ApiProperty() name!: string;
  @ApiProperty({ type: 'integer' }) version!: number;
}

class LearnedJob {
  @ApiProperty() job_id!: string;
  @ApiProperty() model_name!: string;
  @ApiProperty({ type: [String], description: 'Named versions of its model, such as `tickets@3`.' })
  models!: readonly string[];
}

export class LearnedFrom {
  @ApiProperty({ type: [LearnedVersion], description: 'Versions with rows that derive from the erased data.' })
  dataset_versions!: readonly LearnedVersion[];
  @ApiProperty({ type: [LearnedJob], description: 'Training jobs that learned from those rows.' })
  jobs!: readonly LearnedJob[];
}

export class ErasureCertificate {
  @ApiProperty({ enum: ['erasure_certificate'] }) object!: string;
  @ApiProperty() inference_id!: string;
  @ApiProperty({ format: 'date-time' }) erased_at!: string;
  @ApiProperty({ example: 'key:0f2c', description: '`key:<id>` or `user:<id>`.' }) erased_by!: string;
  @ApiProperty({ type: [DestroyedKey] }) keys!: readonly DestroyedKey[];
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
  @ApiProperty({ type: LearnedFrom }) learned!: LearnedFrom;
  @ApiProperty({ type: [LearnedVersion], description: 'Dataset versions that were erased with it (`cascade=true`).' })
  erased_with!: readonly LearnedVersion[];
  @ApiProperty({
    type: [String],
    description: 'Where the content is still stored, as far as known; empty if nowhere.',
  })
  remains!: readonly string[];
}

class NotErased {
  @ApiProperty() inference_id!: string;
  @ApiProperty() reason!: string;
}

export class ErasedCalls {
  @ApiProperty({ enum: ['list'] }) object!: string;
  @ApiProperty() subject!: string;
  @ApiProperty({ type: [ErasureCertificate] }) data!: readonly ErasureCertificate[];
  @ApiProperty({ type: [NotErased] }) not_erased!: readonly NotErased[];
  @ApiProperty({ description: 'Whether no call of the subject is left. If not, repeat the request.' })
  complete!: boolean;
}
