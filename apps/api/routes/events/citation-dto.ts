import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** Proof that the log has an event: see docs/operate/audit.md. */
export class EventProof {
  @ApiProperty({ type: 'integer', description: 'Number of the leaf of the audit tree.' }) leaf_index!: number;
  @ApiProperty({ description: "The salted digest of the event's id, data and metadata." }) digest!: string;
  @ApiProperty({ type: [String], description: 'Hashes from the sibling of the leaf upwards, in base64 (RFC 9162).' })
  inclusion_proof!: readonly string[];
}

/** The event of the log that a fact comes from. */
export class EventCitation {
  @ApiProperty({ example: 'training-job-completed.v1' }) type!: string;
  @ApiProperty({ description: 'Position in the whole log; string order is log order.' }) position!: string;
  @ApiProperty({ description: '`GET /events?stream=` replays it.' }) stream!: string;
  @ApiProperty({ type: 'integer' }) revision!: number;
  @ApiProperty({ format: 'date-time' }) time!: string;
  @ApiPropertyOptional({ description: 'Who confirmed it, of two people.' }) confirmed_by?: string;
  @ApiPropertyOptional({ description: 'What the person said of why.' }) reason?: string;
  @ApiPropertyOptional({ description: 'The ticket or case that the person named.' }) ticket?: string;
  @ApiPropertyOptional({
    ...{ type: EventProof, nullable: true },
    description: 'With `proofs=true`; null until a checkpoint covers the event.',
  })
  proof?: EventProof | null;
}
