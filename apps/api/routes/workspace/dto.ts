import { ApiProperty } from '@nestjs/swagger';
import { IsArray, IsIn } from 'class-validator';
import { TWO_PEOPLE_ACTS, type TwoPeopleAct } from '#domain/proposal/index.js';
import { ROLES, type Role } from '#domain/permissions.js';
import { EMAIL_ADDRESS } from '#domain/user/index.js';
import { Done } from '../accounts/dto.js';
import { DestroyedKey } from '../inferences/erasure-dto.js';
import { EventCitation } from '../events/citation-dto.js';
import { BodyFlag, BodyOneOf, BodyTextLike, QueryBoolean, bodyField } from '../../edge/validation/index.js';

export class WorkspaceMember {
  @ApiProperty({ format: 'uuid' }) user_id!: string;
  @ApiProperty({ nullable: true, type: String }) email!: string | null;
  @ApiProperty({ enum: ROLES, enumName: 'Role' }) role!: Role;
  @ApiProperty({ description: 'Whether it is their own workspace, whose owner they stay.' }) is_own!: boolean;
}

export class WorkspaceRecord {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid' }) team_id!: string;
  @ApiProperty({ description: 'Whether analysts see the content of calls and datasets.' })
  analysts_see_content!: boolean;
  @ApiProperty({ enum: TWO_PEOPLE_ACTS, isArray: true, description: 'Acts that another person must confirm.' })
  two_people!: TwoPeopleAct[];
  @ApiProperty({ type: [WorkspaceMember] }) members!: WorkspaceMember[];
}

export class WorkspaceBody {
  @BodyFlag({ description: 'false: analysts see figures and states, but no content.' }) analysts_see_content!: boolean;
}

export class TwoPeopleBody {
  @bodyField(
    {
      ...{ enum: TWO_PEOPLE_ACTS, isArray: true },
      description:
        '`promote`: what has calls by a name answered by a version that did not before; `force`: past the gate; `erase`; `delete`.',
    },
    IsIn(TWO_PEOPLE_ACTS, { each: true, message: `$property must be a list of: ${TWO_PEOPLE_ACTS.join(', ')}` }),
    IsArray(),
  )
  acts!: TwoPeopleAct[];
}

export class MemberBody {
  @BodyTextLike(EMAIL_ADDRESS, 'an e-mail address') email!: string;
  @BodyOneOf(ROLES) role!: Role;
}

export class GivenRole extends WorkspaceMember {
  @ApiProperty({
    ...{ nullable: true, type: String },
    description:
      'For a new person: a link that signs them in once, within a day; shown only once. null for a person already in the team.',
  })
  sign_in_link!: string | null;
}

export class RemoveMemberQuery {
  @QueryBoolean(
    'Also removes the person from the team and makes their e-mail address unreadable; only for people without another workspace. The id stays.',
  )
  erase?: boolean;
}

export class MemberErasure {
  @ApiProperty({ enum: ['member_erasure_certificate'] }) object!: string;
  @ApiProperty({ format: 'uuid' }) user_id!: string;
  @ApiProperty({ format: 'date-time' }) erased_at!: string;
  @ApiProperty({ example: 'user:0f2c', description: '`user:<id>` of the owner who asked.' }) erased_by!: string;
  @ApiProperty({ type: [DestroyedKey] }) keys!: readonly DestroyedKey[];
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
  @ApiProperty({ type: [String], description: 'Where the address is still stored, as far as known; empty if nowhere.' })
  remains!: readonly string[];
}

export class MemberRemoved extends Done {
  @ApiProperty({ type: MemberErasure, nullable: true, description: 'With `erase`.' })
  certificate!: MemberErasure | null;
}
