import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { TooMany } from '#application/accounts/index.js';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import type { BegunSession } from '#use-cases/accounts/begun-session.js';
import { SetPassword, SignOut, SwitchWorkspace } from '#use-cases/accounts/commands/session.js';
import { SignIn } from '#use-cases/accounts/commands/sign-in.js';
import { GetSession } from '#use-cases/accounts/queries/session.js';
import type { SessionView } from '#use-cases/accounts/session-view.js';
import { UseCases } from '#use-cases/use-cases.js';
import { BodyLimit, CREDENTIALS } from '../../edge/body/body-limits.js';
import { credentialsOf, unauthorized } from '../../edge/auth/credentials.js';
import {
  Authenticator,
  CurrentCaller,
  Gives,
  Identity,
  Public,
  ReadingNeeds,
  SessionOnly,
  SignsIn,
} from '../../edge/auth/index.js';
import { clientNetwork } from '../../edge/connections/client-network.js';
import { originOf } from '../../edge/connections/origin.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import type { HttpError } from '../../edge/errors/index.js';
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
    private readonly useCases: UseCases,
    private readonly settings: Settings,
    private readonly secret: SecretKey,
    private readonly authenticator: Authenticator,
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
    const network = clientNetwork(request.ip);
    const found = await this.useCases.execute(new SignIn(email, password, network, originOf(request, this.secret)));
    if (found.kind === 'too-many') throw this.tooMany(network, found);
    if (found.kind === 'wrong') throw unauthorized('wrong e-mail address or password');
    if (found.kind === 'not-admitted') throw unauthorized(found.reason);
    return this.signedIn(found, reply);
  }

  @Post('password')
  @Gives(SetPassword)
  @BodyLimit(CREDENTIALS)
  @HttpCode(200)
  @SessionOnly()
  @SignsIn()
  @ApiOperation({
    summary: "Sets the signed-in user's password, ends all other sessions and sign-in links, and renews this session",
  })
  @ApiOkResponse({ type: SignedIn })
  async setPassword(
    @KnownBody() body: SetPasswordBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedIn> {
    const network = clientNetwork(request.ip);
    const command = new SetPassword(caller, identity, {
      ...{ ...body, token: tokenOf(request), network },
      origin: originOf(request, this.secret),
    });
    const found = await this.useCases.execute(command);
    if (found?.kind === 'too-many') throw this.tooMany(network, found);
    return this.signedIn(found ?? over(), reply);
  }

  @Post('workspace')
  @Gives(SwitchWorkspace)
  @HttpCode(200)
  @SessionOnly()
  @ApiOperation({ summary: 'Switches the session to another workspace of the signed-in user' })
  @ApiOkResponse({ type: SessionRecord })
  async switchWorkspace(
    @KnownBody() { workspace_id }: SwitchWorkspaceBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Req() request: FastifyRequest,
  ): Promise<SessionRecord> {
    const token = tokenOf(request);
    const command = new SwitchWorkspace(caller, identity, { token, workspaceId: workspace_id });
    const view = await this.useCases.execute(command);
    this.authenticator.dropSession(token);
    return sessionRecord(view ?? over());
  }

  @Get('methods')
  @Public()
  @ApiOperation({ summary: 'Lists the ways to sign in' })
  @ApiOkResponse({ type: SignInMethods })
  methods(): SignInMethods {
    return { password: true, oidc: this.settings.oidcIssuer !== null };
  }

  @Post('sign-out')
  @Gives(SignOut)
  @HttpCode(200)
  @SessionOnly()
  @ApiOperation({ summary: 'Ends the session' })
  @ApiOkResponse({ type: Done })
  async signOut(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Done> {
    const token = tokenOf(request);
    await this.useCases.execute(new SignOut(caller, identity, token));
    this.authenticator.dropSession(token);
    void reply.header('set-cookie', clearedCookie(this.settings.publicUrl));
    return { success: true, message: null };
  }

  @Get('session')
  @SessionOnly()
  @ApiOperation({ summary: 'The signed-in user with role, permissions and workspaces' })
  @ApiOkResponse({ type: SessionRecord })
  async session(@Req() request: FastifyRequest): Promise<SessionRecord> {
    return sessionRecord((await this.useCases.execute(new GetSession(tokenOf(request)))) ?? over());
  }

  private tooMany(network: string, found: TooMany): HttpError {
    if (found.ofNetwork) this.refusedNetworks.refuse(network, found);
    return tooManyRequests(found.limit, found.windowMs, found.endsInMs);
  }

  private signedIn({ token, expiresAt }: BegunSession, reply: FastifyReply): SignedIn {
    void reply.header('set-cookie', sessionCookie(token, expiresAt, this.settings.publicUrl));
    return { session_token: token, expires_at: expiresAt };
  }
}

/** @throws HttpError 401 */
function over(): never {
  throw unauthorized('not signed in, or no longer');
}

const sessionRecord = ({ session, email, role, permissions, workspaces, hasPassword }: SessionView): SessionRecord => ({
  ...{ user_id: session.userId, team_id: session.teamId, workspace_id: session.workspaceId },
  ...{ email, role, permissions: [...permissions] },
  workspaces: workspaces.map(({ id, ownerEmail, role }) => ({ id, owner_email: ownerEmail, role })),
  has_password: hasPassword,
  expires_at: session.expiresAt,
});

function tokenOf(request: FastifyRequest): string {
  const credentials = credentialsOf(request.headers);
  if (credentials.kind !== 'session') throw unauthorized('this needs a browser session');
  return credentials.token;
}
