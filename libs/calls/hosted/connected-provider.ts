import type { ProviderAttempt } from './chain.js';
import { resultWithoutCall } from './call-ids.js';
import { Circuits } from './circuit.js';
import { Dropped } from './dropped.js';
import {
  HostedModelError,
  type CallingWorkspace,
  type EmbeddingRequest,
  type Embeddings,
  type GenerationRequest,
} from './port.js';
import type { Provider } from './providers.js';
import type { HostedCall } from './asked.js';
import { ResponseIdentity } from './response-identity.js';
import { STYLES } from './styles.js';
import { ToolNames } from './tool-names.js';
import { INSTALLATION, Upstream } from './upstream.js';

/** The account for which a model is called, and the signal. */
interface How extends Pick<HostedCall, 'signal'> {
  readonly workspace: CallingWorkspace | undefined;
}

/** A provider with its connections and the recent outcomes of each model. */
export class ConnectedProvider {
  private readonly upstream: Upstream;
  /** Circuit breakers of the catalog's models. */
  private readonly circuits = new Map<string, Circuits>();

  constructor(private readonly provider: Provider) {
    this.upstream = new Upstream(provider);
  }

  generation(model: string, request: GenerationRequest, how: How & Pick<HostedCall, 'stream'>): ProviderAttempt {
    this.requireCalls(request);
    const asked = this.asked(model, how);
    const names = this.toolNames();
    const sent = names.sent(request);
    const events = names.answered(this.style.generate(asked, sent));
    const first = () => this.circuit(model, how).run(() => events.next());
    return { events, first, dropped: asked.dropped.names, identity: asked.identity };
  }

  async embed(model: string, request: EmbeddingRequest, how: How): Promise<Embeddings> {
    const asked = this.asked(model, { ...how, stream: false });
    const vectors = await this.circuit(model, how).run(() => this.style.embed(asked, request));
    return { ...vectors, provider: { name: this.provider.name, model, response: asked.identity } };
  }

  /** Does not count for the circuit breaker: some providers cannot count tokens. */
  async countTokens(model: string, request: GenerationRequest, how: How): Promise<number | null> {
    this.requireCalls(request);
    return this.style.countTokens(this.asked(model, { ...how, stream: false }), this.toolNames().sent(request));
  }

  /** Whether no call runs. */
  get isIdle(): boolean {
    return this.upstream.isIdle;
  }

  close(): Promise<void> {
    return this.upstream.close();
  }

  /**
   * Checks a conversation that is translated. In a caller's own style the provider decides: OpenAI and Anthropic refuse results
   * without a call, others take them.
   * @throws HostedModelError of kind `rejected`, naming the call
   */
  private requireCalls({ verbatim, messages }: GenerationRequest): void {
    const why = verbatim?.style === this.provider.style ? null : resultWithoutCall(messages);
    if (why === null) return;
    throw new HostedModelError('rejected', `\`messages\` ${why}`, { upstreamStatus: 422, param: 'messages' });
  }

  private toolNames(): ToolNames {
    return new ToolNames(this.provider.style, this.style.namedTools);
  }

  private get style() {
    return STYLES[this.provider.style];
  }

  private asked(model: string, { workspace, signal, stream }: How & Pick<HostedCall, 'stream'>): HostedCall {
    const { provider } = this;
    const dropped = new Dropped(provider.isStrict);
    const identity = new ResponseIdentity();
    return { provider, upstream: this.upstream.for(workspace), model, signal, stream, dropped, identity };
  }

  private circuit(model: string, { workspace = INSTALLATION }: How) {
    let circuits = this.circuits.get(model);
    if (!circuits) this.circuits.set(model, (circuits = new Circuits(this.provider)));
    return circuits.of(workspace.id);
  }
}
