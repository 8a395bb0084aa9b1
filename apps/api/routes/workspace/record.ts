import type { UserErasure } from '#application/accounts/index.js';
import { cite } from '#use-cases/events/log-reader.js';
import type { Member, Workspace } from '#use-cases/workspace/queries.js';
import type { MemberErasure, WorkspaceMember, WorkspaceRecord } from './dto.js';

export const workspaceRecord = ({
  id,
  teamId,
  analystsSeeContent,
  twoPeople,
  members,
}: Workspace): WorkspaceRecord => ({
  id,
  team_id: teamId,
  analysts_see_content: analystsSeeContent,
  two_people: [...twoPeople],
  members: members.map(memberRecord),
});

export const memberRecord = ({ userId, email, role, isOwn }: Member): WorkspaceMember => ({
  ...{ user_id: userId, email, role },
  is_own: isOwn,
});

export const certificateOf = (userId: string, { erased, event, remains }: UserErasure): MemberErasure => ({
  object: 'member_erasure_certificate',
  user_id: userId,
  erased_at: erased.erasedAt,
  erased_by: event.metadata.actor,
  keys: erased.keys,
  event: cite(event),
  remains,
});
