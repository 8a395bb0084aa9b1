import {
  allTeams,
  changeTeam,
  createTeam,
  eraseUser,
  findUser,
  giveRole,
  inForceEverywhere,
  loadUser,
  registerUser,
  userIdOf,
  type User,
} from '#application/accounts/index.js';
import type { Application } from '#application/application.js';
import { DomainError } from '#domain/errors.js';
import type { Json, JsonObject } from '#domain/json.js';
import { isPrintable } from '#domain/printable.js';
import { ROLES } from '#domain/permissions.js';
import { memberCount, membersOf, PLANS, type Plan, type Team, type TeamCommand } from '#domain/team/index.js';
import { isEmailAddress } from '#domain/user/index.js';
import type { Settings } from '#settings/index.js';
import { OperationError, type Operations } from './operation.js';
import { operatorContext } from './operator-context.js';

/** Makes a link, host and path, that signs a user in once within a day. */
export type NewSignInLink = (user: Pick<User, 'userId' | 'workspaceId'>) => Promise<string>;

/** Teams and their members: `team.list`, `.create`, `.add-member`, `.remove-member`, `.erase-member`, `.role`, `.analysts-content`, `.set`, `.rollout`, `.limit`, `.block`, `.unblock`. */
export const teamOperations = (
  application: Application,
  newLink: NewSignInLink,
  settings: Pick<Settings, 'adminEmail'>,
): Operations => {
  const change = (command: TeamCommand) => refusable(() => changeTeam(application, command, context()));
  /** Finds a user by e-mail address or id: after an erasure there is the id alone. */
  const known = async (named: Json | undefined): Promise<User> => {
    const text = textOf(named ?? null);
    const user = text.includes('@') ? await findUser(application, text) : await loadUser(application, text);
    if (user) return user;
    throw new OperationError(`there is no user ${JSON.stringify(named ?? null)}; see: anneal team members`);
  };
  return {
    async *'team.list'() {
      for (const team of await allTeams(application)) yield shown(team);
    },

    /** `{team?}`: its members */
    async *'team.members'({ team }) {
      const found = await teamOf(application, team);
      for (const workspaceId of found.founders.keys())
        for (const [userId, role] of membersOf(found, workspaceId)) {
          const user = await loadUser(application, userId);
          yield { userId, email: user?.email ?? null, workspaceId, role };
        }
    },

    /** `{name}` */
    async *'team.create'({ name }) {
      yield shown(await refusable(() => createTeam(application, nameOf(name), context())));
    },

    /** `{email, team?}`: a user with a private workspace, and a link to sign in once */
    async *'team.add-member'({ email, team }) {
      const address = addressOf(email);
      const { teamId, name } = await teamOf(application, team);
      const user = await refusable(() => registerUser(application, { email: address, teamId }, context()));
      // A returning user may just have been refused.
      await inForceEverywhere(application);
      yield {
        email: user.email,
        userId: user.userId,
        workspaceId: user.workspaceId,
        team: name,
        signInLink: await newLink(user),
      };
    },

    /** `{email}`: removes a member, whose keys and sessions are refused from now on; the workspace's content stays */
    async *'team.remove-member'({ email }) {
      const { teamId, userId } = await known(email);
      yield shown(await change({ type: 'remove-team-member', teamId, userId }));
    },

    /**
     * `{email}`: removes a member and makes their e-mail address unreadable; their id and the workspace's content stay
     */
    async *'team.erase-member'({ email }) {
      const { userId } = await known(email);
      const erasing = { userId, workspaceId: null };
      const { erased, event, remains } = await refusable(() => eraseUser(application, settings, erasing, context()));
      const { stream, revision, position } = event;
      yield {
        ...{ userId, erasedAt: erased.erasedAt, keys: erased.keys },
        event: { stream, revision, position },
        remains,
      };
    },

    /** `{email, role, workspace?, team?}`: a role in a workspace; `none` takes it away; a new person gets a link to sign in once */
    async *'team.role'({ email, role, workspace, team }) {
      const { teamId, workspaceId } = await workspaceOf(application, workspace, team);
      const address = addressOf(email);
      if (role === 'none') {
        const userId = userIdOf(address);
        await change({ type: 'remove-role', teamId, workspaceId, userId });
        yield { email: address, userId, workspaceId, role: null, signInLink: null };
        return;
      }
      const given = ROLES.find((each) => each === role);
      if (!given) throw new OperationError(`the role must be one of ${ROLES.join(', ')}, none`);
      const invitation = { teamId, workspaceId, email: address, role: given, readmits: true };
      const { user, isNew } = await refusable(() => giveRole(application, invitation, context(workspaceId)));
      const signInLink = isNew ? await newLink(user) : null;
      yield { email: user.email, userId: user.userId, workspaceId, role: given, signInLink };
    },

    /** `{shown, workspace?, team?}`: whether analysts of a workspace see content */
    async *'team.analysts-content'({ shown, workspace, team }) {
      const { teamId, workspaceId } = await workspaceOf(application, workspace, team);
      const command = { type: 'set-analysts-content', teamId, workspaceId, shown: shown === true } as const;
      await refusable(() => changeTeam(application, command, context(workspaceId)));
      yield { workspaceId, analystsSeeContent: shown === true };
    },

    /** `{team?, plan?, region?, optOut?, card?}`: each that is given, in this order */
    async *'team.set'({ team, plan, region, optOut, card }) {
      const { teamId } = await teamOf(application, team);
      const commands: TeamCommand[] = [];
      if (plan !== undefined) commands.push({ type: 'set-team-plan', teamId, plan: planOf(plan) });
      if (region !== undefined)
        commands.push({ type: 'set-team-region', teamId, region: region === 'none' ? null : textOf(region) });
      if (optOut !== undefined) commands.push({ type: 'set-team-data-use', teamId, optedOut: optOut === true });
      if (card !== undefined) commands.push({ type: 'set-team-card', teamId, verified: card === true });
      if (commands.length === 0) throw new OperationError('say what to set: plan, region, opt-out or card');
      for (const command of commands) yield shown(await change(command));
    },

    /** `{rollout, enabled, team?}` */
    async *'team.rollout'({ rollout, enabled, team }) {
      const { teamId } = await teamOf(application, team);
      yield shown(
        await change({ type: 'set-team-rollout', teamId, rollout: textOf(rollout), enabled: enabled === true }),
      );
    },

    /** `{limit, value, team?}`: sets a limit of each workspace of the team; null restores the default */
    async *'team.limit'({ limit, value, team }) {
      if (value !== null && typeof value !== 'number')
        throw new OperationError('the value must be a number, or default');
      const { teamId } = await teamOf(application, team);
      yield shown(await change({ type: 'set-team-limit', teamId, limit: textOf(limit), value }));
    },

    /** `{team?, reason?}`: all its keys and sessions are refused from now on */
    async *'team.block'({ team, reason = 'billing' }) {
      if (reason !== 'billing' && reason !== 'fraud_review')
        throw new OperationError('the reason must be billing or fraud_review');
      const { teamId } = await teamOf(application, team);
      yield shown(await change({ type: 'block-team', teamId, reason }));
    },

    /** `{team?}` */
    async *'team.unblock'({ team }) {
      const { teamId } = await teamOf(application, team);
      yield shown(await change({ type: 'unblock-team', teamId }));
    },
  };
};

const context = (workspaceId: string | null = null) => operatorContext(workspaceId);

function addressOf(email: Json | undefined): string {
  if (typeof email === 'string' && isEmailAddress(email)) return email;
  throw new OperationError('give an e-mail address');
}

/** Finds a workspace by its id or its own member's e-mail address; default: the first of the team. */
export async function workspaceOf(application: Application, named: Json | undefined, inTeam: Json | undefined) {
  const user = typeof named === 'string' && named.includes('@') ? await findUser(application, named) : null;
  const { teamId, founders } = await teamOf(application, user?.teamId ?? inTeam);
  const ids = [...founders.keys()];
  const workspaceId = named === undefined ? ids[0] : ids.find((id) => id === (user?.workspaceId ?? named));
  if (workspaceId !== undefined) return { teamId, workspaceId };
  throw new OperationError(`there is no workspace ${JSON.stringify(named ?? null)}; see: anneal team members`);
}

/** Finds a team by id or name; default: the first. */
export async function teamOf(application: Application, named: Json | undefined): Promise<Team> {
  const teams = await allTeams(application);
  const [team, second] =
    named === undefined ? teams : teams.filter((each) => each.teamId === named || each.name === named);
  if (!team) throw new OperationError(`there is no team ${JSON.stringify(named ?? null)}; see: anneal team list`);
  if (named !== undefined && second)
    throw new OperationError(
      `several teams are called ${JSON.stringify(named)}; name it by its id, see: anneal team list`,
    );
  return team;
}

/** Turns the domain's refusals into operation errors with the same message. */
export async function refusable<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof DomainError) throw new OperationError(error.message, { cause: error });
    throw error;
  }
}

const shown = (team: Team): JsonObject => ({
  id: team.teamId,
  name: team.name,
  members: memberCount(team),
  plan: team.plan,
  region: team.region,
  rollouts: [...team.rollouts],
  dataUseOptedOut: team.optedOut,
  cardVerified: team.cardVerified,
  limits: Object.fromEntries(team.limits),
  blocked: team.blocked,
  createdAt: team.createdAt,
});

function nameOf(name: Json | undefined): string {
  if (typeof name === 'string' && name.trim() !== '' && name.length <= 100 && isPrintable(name)) return name;
  throw new OperationError('the name of the team must have 1 to 100 characters, none of them a control character');
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function planOf(plan: Json): Plan {
  const known = PLANS.find((each) => each === plan);
  if (known) return known;
  throw new OperationError(`the plan must be one of ${PLANS.join(', ')}`);
}
