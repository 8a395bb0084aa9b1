import { ApiAcceptedResponse, ApiProperty } from '@nestjs/swagger';
import type { ProposedError } from '#domain/errors.js';

export class Proposed {
  @ApiProperty({ enum: ['proposed'] }) status!: 'proposed';
  @ApiProperty({ format: 'uuid', description: 'Of `GET /proposals/{id}`.' }) proposal_id!: string;
  @ApiProperty({ format: 'date-time', description: 'Another person can confirm it until then.' }) expires_at!: string;
  @ApiProperty() message!: string;
}

/** The route does nothing but propose it where the workspace wants two people. */
export const MayNeedTwo = (): MethodDecorator =>
  ApiAcceptedResponse({
    type: Proposed,
    description: 'Nothing was done: the workspace wants two people for it, so that it was proposed',
  });

export const proposedOf = ({ proposalId, expiresAt, message }: ProposedError): Proposed => ({
  ...{ status: 'proposed', proposal_id: proposalId, expires_at: expiresAt, message },
});
