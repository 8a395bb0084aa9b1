import type { ChatExample, ExampleMessage, GenerationTool } from '../decoder-engine.js';

/** Messages and tools in the shape of OpenAI, which chat templates read. */
export const openAiMessage = ({ role, content, toolCalls, toolCallId, ...own }: ExampleMessage): object => ({
  role,
  content,
  ...(toolCalls &&
    toolCalls.length > 0 && {
      tool_calls: toolCalls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: input },
      })),
    }),
  ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
  ...(own.name !== undefined && { name: own.name }),
  ...(own.reasoning !== undefined && { reasoning_content: own.reasoning }),
  ...(own.isContext && { weight: 0 }),
});

/** A chat and its tools, which are absent if there are none. */
export const openAiChat = ({
  messages,
  tools = [],
}: ChatExample): { readonly messages: object[]; readonly tools?: object[] } => ({
  messages: messages.map(openAiMessage),
  ...(tools.length > 0 && { tools: tools.map(openAiTool) }),
});

export const openAiTool = ({ name, description, parameters }: GenerationTool): object => ({
  type: 'function',
  function: { name, ...(description !== undefined && { description }), parameters },
});
