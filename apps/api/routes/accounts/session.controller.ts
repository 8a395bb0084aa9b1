import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AccountBook,
  changePassword,
  checkPassword,
  closeSession,
  hasPassword,
  inForceEverywhere,
  loadUser,
  moveSession,
  openSession,
  ownerOf,
  readSession,
  userIdOf,
  type Session,
  type SessionOwner,
} from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { callerContext, type Caller, type RequestIdentity } from '#application/caller.js';
import { InvalidError, NotFoundError } from '#domain/errors.js';
import { permissionsIn, roleIn, workspacesOf } from '#domain/team/index.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { BodyLimit, CREDENTIALS } from '../../edge/body/body-limits.js';
import { credentialsOf, unauthorized } from '../../edge/auth/credentials.js';
import {
  Authenticator,
  CurrentCaller,
  Identity,
  Needs,
  Public,
  ReadingNeeds,
  requireAdmitted,
  SessionOnly,
  SignsIn,
} from '../../edge/auth/index.js';
import { clientNetwork } from '../../edge/connections/client-network.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { tooManyRequests } from '../../edge/limits/rate-limiter.js';
import { clearedCookie, sessionCookie } from './cookie.js';
import { RefusedNetworks } from '../../edge/auth/refused-networks.js';
import {
  Done,
  SessionRecord,
  SetPasswordBody,
  SignedIn,
  SignInBody,
  SignInMethods,
  SwitchWorkspaceBody,
} from './dto.js';
import { KnownBody } from '../../edge/validation/index.js';

@ApiTags('Session')
@ReadingNeeds('own')
@Controller('auth')
export class SessionController {
  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
    private readonly settings: Settings,
    private readonly authenticator: Authenticator,
    private readonly accounts: AccountBook,
    private readonly refusedNetworks: RefusedNetworks,
  ) {}

  @Post('sign-in')
  @BodyLimit(CREDENTIALS)
  @HttpCode(200)
  @Public()
  @SignsIn()
  @ApiOperation({ summary: 'Signs in with e-mail and password, and sets the session cookie' })
  @ApiOkResponse({ type: SignedIn })
  async signIn(
    @KnownBody() { email, password }: SignInBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedIn> {
    const userId = userIdOf(email);
    const generation = await this.generationOf(request, userId, password);
    const user = generation === null ? null : await loadUser(this.application, userId);
    if (generation === null || !user) throw unauthorized('wrong e-mail address or password');
    const account = await this.accounts.findFor(user.teamId, user.userId);
    requireAdmitted(account, user.userId, new Date().toISOString());
    return this.open(ownerOf(account, user), generation, reply);
  }

  @Post('password')
  @Needs('own')
  @BodyLimit(CREDENTIALS)
  @HttpCode(200)
  @SessionOnly()
  @SignsIn()
  @ApiOperation({
    summary: "Sets the signed-in user's password, ends all other sessions and sign-in links, and renews this session",
  })
  @ApiOkResponse({ type: SignedIn })
  async setPassword(
    @KnownBody() { current_password, new_password }: SetPasswordBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedIn> {
    const session = await this.sessionOf(request);
    if (await hasPassword(this.application.ports.coordination, session.userId)) {
      if (typeof current_password !== 'string')
        throw currentPassword('missing', 'is required, since this user has a password');
      if ((await this.generationOf(request, session.userId, current_password)) === null)
        throw currentPassword('not_allowed', 'is not the present password');
    }
    const context = callerContext(caller, identity);
    const generation = await changePassword(this.application, session.userId, new_password, context);
    const signedIn = await this.open(session, generation, reply);
    await inForceEverywhere(this.application);
    return signedIn;
  }

  @Post('workspace')
  @Needs('own')
  @HttpCode(200)
  @SessionOnly()
  @ApiOperation({ summary: 'Switches the session to another workspace of the signed-in user' })
  @ApiOkResponse({ type: SessionRecord })
  async switchWorkspace(
    @KnownBody() { workspace_id }: SwitchWorkspaceBody,
    @Req() request: FastifyRequest,
  ): Promise<SessionRecord> {
    const { teamId, userId } = await this.sessionOf(request);
    const account = await this.accounts.findFor(teamId, userId);
    if (!account || roleIn(account, workspace_id, userId) === null) throw new NotFoundError('workspace', workspace_id);
    const token = tokenOf(request);
    const session = await moveSession(this.application, this.secret, token, workspace_id);
    this.authenticator.dropSession(token);
    if (!session) throw unauthorized('not signed in, or no longer');
    return this.record(session);
  }

  @Get('methods')
  @Public()
  @ApiOperation({ summary: 'Lists the ways to sign in' })
  @ApiOkResponse({ type: SignInMethods })
  methods(): SignInMethods {
    return { password: true, oidc: this.settings.oidcIssuer !== null };
  }

  @Post('sign-out')
  @Needs('own')
  @HttpCode(200)
  @SessionOnly()
  @ApiOperation({ summary: 'Ends the session' })
  @ApiOkResponse({ type: Done })
  async signOut(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Done> {
    const token = tokenOf(request);
    await closeSession(this.application, this.secret, token);
    this.authenticator.dropSession(token);
    void reply.header('set-cookie', clearedCookie(this.settings.publicUrl));
    return { success: true, message: null };
  }

  @Get('session')
  @SessionOnly()
  @ApiOperation({ summary: 'The signed-in user with role, permissions and workspaces' })
  @ApiOkResponse({ type: SessionRecord })
  async session(@Req() request: FastifyRequest): Promise<SessionRecord> {
    return this.record(await this.sessionOf(request));
  }

  private async record({ userId, teamId, workspaceId, expiresAt }: Session): Promise<SessionRecord> {
    const account = await this.accounts.of(teamId);
    const workspaces = workspacesOf(account, userId).map(async (id) => {
      const founder = await loadUser(this.application, account.founders.get(id)!);
      return { id, owner_email: founder?.email ?? null, role: roleIn(account, id, userId)! };
    });
    return {
      ...{ user_id: userId, team_id: teamId, workspace_id: workspaceId },
      email: (await loadUser(this.application, userId))?.email ?? null,
      role: roleIn(account, workspaceId, userId),
      permissions: [...permissionsIn(account, workspaceId, userId)],
      workspaces: await Promise.all(workspaces),
      has_password: await hasPassword(this.application.ports.coordination, userId),
      expires_at: expiresAt,
    };
  }

  /** The generation of the password if it is right, null if not. @throws HttpError 429 */
  private async generationOf(request: FastifyRequest, userId: string, password: string): Promise<number | null> {
    const network = clientNetwork(request.ip);
    const check = await checkPassword(this.application.ports.coordination, this.secret, { userId, password, network });
    if (check.kind !== 'too-many') return check.kind === 'right' ? check.generation : null;
    if (check.ofNetwork) this.refusedNetworks.refuse(network, check);
    throw tooManyRequests(check.limit, check.windowMs, check.endsInMs);
  }

  private async open(user: SessionOwner, generation: number, reply: FastifyReply): Promise<SignedIn> {
    const { token, session } = await openSession(this.application.ports.coordination, this.secret, user, generation);
    void reply.header('set-cookie', sessionCookie(token, session.expiresAt, this.settings.publicUrl));
    return { session_token: token, expires_at: session.expiresAt };
  }

  private async sessionOf(request: FastifyRequest): Promise<Session> {
    const session = await readSession(this.application.ports.coordination, this.secret, tokenOf(request));
    if (!session) throw unauthorized('not signed in, or no longer');
    return session;
  }
}

const currentPassword = (type: 'missing' | 'not_allowed', message: string): InvalidError =>
  new InvalidError({ path: ['current_password'], message, type });

function tokenOf(request: FastifyRequest): string {
  const credentials = credentialsOf(request.headers);
  if (credentials.kind !== 'session') throw unauthorized('this needs a browser session');
  return credentials.token;
}
