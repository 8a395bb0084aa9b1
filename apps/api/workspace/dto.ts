import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '#domain/permissions.js';
import { BodyFlag, BodyOneOf, BodyTextLike } from '../validation/index.js';

export class WorkspaceMember {
  @ApiProperty({ format: 'uuid' }) user_id!: string;
  @ApiProperty({ nullable: true, type: String }) email!: string | null;
  @ApiProperty({ enum: ROLES, enumName: 'Role' }) role!: Role;
  @ApiProperty({ description: 'Whether it is their own workspace, whose owner they stay.' }) is_own!: boolean;
}

export class WorkspaceRecord {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid' }) team_id!: string;
  @ApiProperty({ description: 'Whether analysts see what calls and datasets say.' }) analysts_see_content!: boolean;
  @ApiProperty({ type: [WorkspaceMember] }) members!: WorkspaceMember[];
}

export class WorkspaceBody {
  @BodyFlag({ description: 'false: analysts get figures and states, and no content.' }) analysts_see_content!: boolean;
}

export class MemberBody {
  @BodyTextLike(/^[^\s@]{1,64}@[^\s@]{1,189}$/, 'an e-mail address') email!: string;
  @BodyOneOf(ROLES) role!: Role;
}

export class GivenRole extends WorkspaceMember {
  @ApiProperty({
    ...{ nullable: true, type: String },
    description:
      'For a new person: signs them in once, within a day; shown this once. null for who was in the team before.',
  })
  sign_in_link!: string | null;
}
