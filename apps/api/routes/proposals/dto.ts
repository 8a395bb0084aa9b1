import { ApiProperty } from '@nestjs/swagger';
import { PROPOSED_ACTS, type ProposedAct } from '#domain/proposal/index.js';
import { BodyText, QueryInteger, QueryOneOf } from '../../edge/validation/index.js';

const TEXT_OR_NULL = { type: String, nullable: true } as const;
const FLAG_OR_NULL = { type: Boolean, nullable: true } as const;
const STATUSES = ['open', 'confirmed', 'declined', 'expired', 'performed'] as const;

export class ProposalsQuery {
  @QueryOneOf(STATUSES) status?: (typeof STATUSES)[number];
  @QueryInteger({ min: 1, max: 100, default: 100 }) limit: number = 100;
  @QueryInteger({ min: 0, default: 0 }) offset: number = 0;
}

export class DeclineBody {
  @BodyText({ optional: true, max: 500, description: 'Kept with the event. Name no person in it.' })
  reason?: string | null;
}

export class ProposalRecord {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({
    enum: STATUSES,
    description: '`confirmed`: the act was interrupted; whoever confirmed it confirms again.',
  })
  status!: string;
  @ApiProperty({ enum: PROPOSED_ACTS, description: '`two_people`: which acts need two.' }) act!: ProposedAct;
  @ApiProperty({ description: 'What is to be done.', example: 'put tickets@3 in use' }) about!: string;
  @ApiProperty({ example: 'user:0f2c', description: 'Who asked.' }) proposed_by!: string;
  @ApiProperty({ format: 'uuid', description: 'The person, who cannot confirm it.' }) proposer_id!: string;
  @ApiProperty({ format: 'date-time' }) proposed_at!: string;
  @ApiProperty({ format: 'date-time', description: 'It can be confirmed until then.' }) expires_at!: string;
  @ApiProperty(TEXT_OR_NULL) reason!: string | null;
  @ApiProperty(TEXT_OR_NULL) ticket!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Who confirmed or declined it.' }) decided_by!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, format: 'date-time' }) decided_at!: string | null;
  @ApiProperty({
    ...FLAG_OR_NULL,
    description: 'The proposer had given the confirming account its role. null: not confirmed, or not known.',
  })
  invited_by_proposer!: boolean | null;
  @ApiProperty({ ...FLAG_OR_NULL, description: 'Proposed and confirmed from one address. null: as above.' })
  same_address!: boolean | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Why it was declined.' }) declined_because!: string | null;
}

export class ProposalList {
  @ApiProperty({ type: [ProposalRecord] }) proposals!: ProposalRecord[];
  @ApiProperty({ type: 'integer', description: 'On this page' }) count!: number;
  @ApiProperty({ type: 'integer', description: 'Of all pages' }) total!: number;
}
