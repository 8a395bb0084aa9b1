/** A coding agent that others wrote: a program of the npm registry that runs a task by itself. */
export interface Agent {
  /** Name for people: `Codex`. */
  readonly name: string;
  /** The package of npm, with its exact version: `@openai/codex@0.169.0`. */
  readonly package: string;
  /** Path, below `node_modules`, of the script that puts a binary in its place; other scripts of packages do not run. */
  readonly setUp?: string;
  /** Writes the settings that the agent reads, and returns how it is started on the task. */
  prepare(task: Task): Promise<AgentCommand>;
  /** The calls with which a model reads `notes.txt` and writes `out.txt`, in the words of the agent's own tools. */
  calls(task: Task): readonly [ToolCall, ToolCall];
  /** Hints that some provider is not sent, by the style of the provider. */
  readonly dropped: Readonly<Record<Style, readonly string[]>>;
  /** Asks for calls with `store` false over a dialect that lacks signatures: a provider that needs them misses earlier thoughts. */
  readonly losesThoughts?: true;
}

/** The style of the provider that serves the model. */
export type Style = 'openai' | 'anthropic';

export interface Task {
  readonly prompt: string;
  readonly model: string;
  /** Whether the model is one that thinks, and the agent is told so. */
  readonly thinks: boolean;
  /** Base address of the API, without `/v1`. */
  readonly url: string;
  readonly key: string;
  /** The home folder of the agent. */
  readonly home: string;
  /** The folder that the agent works in, which holds `notes.txt`. */
  readonly work: string;
  /** The folder `node_modules` that the agent is installed in. */
  readonly packages: string;
}

export interface AgentCommand {
  /** Name of the program in `node_modules/.bin`, or `node` for a library. */
  readonly program: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface ToolCall {
  readonly name: string;
  readonly input: object;
}
