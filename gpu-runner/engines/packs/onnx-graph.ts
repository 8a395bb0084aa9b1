/**
 * Cuts a model's graph down to the part that the wanted outputs need. Works on the bytes of the protocol buffer
 * (`ModelProto` of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto), so that no ONNX library is needed; numbers
 * are copied, never read.
 */

import { fieldsOf, GraphError, lengthDelimited, type Field } from './protobuf.js';

export { GraphError };

/** Numbers of fields. */
const MODEL_GRAPH = 7;
const GRAPH = { node: 1, initializer: 5, input: 11, output: 12, valueInfo: 13, sparseInitializer: 15 } as const;
const NODE = { input: 1, output: 2, attribute: 5 } as const;
const ATTRIBUTE = { graph: 6, graphs: 11 } as const;
const TENSOR_NAME = 8;
const VALUE_NAME = 1;

/**
 * The model with these outputs, in this order: outputs that it has, or the results of nodes inside, as tensors of floats.
 * @throws GraphError
 */
export function cutGraph(model: Uint8Array, outputs: readonly string[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let graphs = 0;
  for (const field of fieldsOf(model)) {
    if (field.number !== MODEL_GRAPH) parts.push(field.bytes);
    else {
      graphs += 1;
      parts.push(...lengthDelimited(MODEL_GRAPH, graphWith(field.content, outputs)));
    }
  }
  if (graphs !== 1) throw new GraphError(`the model holds ${graphs} graphs, not one`);
  return Buffer.concat(parts);
}

type Part = 'model' | 'graph' | 'function' | 'node' | 'attribute' | 'sparse' | 'tensor';

/** The parts of each part that may hold tensors, by number of field. */
const PARTS: Readonly<Record<Part, Readonly<Record<number, Part>>>> = {
  model: { [MODEL_GRAPH]: 'graph', 25: 'function' },
  graph: { [GRAPH.node]: 'node', [GRAPH.initializer]: 'tensor', [GRAPH.sparseInitializer]: 'sparse' },
  function: { 7: 'node', 11: 'attribute' },
  node: { [NODE.attribute]: 'attribute' },
  attribute: {
    ...{ 5: 'tensor', [ATTRIBUTE.graph]: 'graph', 10: 'tensor', [ATTRIBUTE.graphs]: 'graph' },
    ...{ 22: 'sparse', 23: 'sparse' },
  },
  sparse: { 1: 'tensor', 2: 'tensor' },
  tensor: {},
};
/** Of a tensor: the file of its numbers, and whether they are in a file. */
const EXTERNAL = { data: 13, location: 14 };
/** As protocol buffers are read elsewhere. */
const MAX_DEPTH = 100;

/**
 * Refuses a model that names files for its numbers: onnxruntime would read any path that it names.
 * @throws GraphError
 */
export function refuseExternalNumbers(message: Uint8Array, part: Part = 'model', depth = 0): void {
  if (depth > MAX_DEPTH) throw new GraphError(`the model holds graphs more than ${MAX_DEPTH} deep`);
  for (const { number, content } of fieldsOf(message)) {
    if (part === 'tensor' && (number === EXTERNAL.data || (number === EXTERNAL.location && content[0] !== 0)))
      throw new GraphError('the model has numbers in other files, which are not read');
    const inner = PARTS[part][number];
    if (inner) refuseExternalNumbers(content, inner, depth + 1);
  }
}

function graphWith(graph: Uint8Array, outputs: readonly string[]): Uint8Array[] {
  const fields = [...fieldsOf(graph)];
  if (fields.some(({ number }) => number === GRAPH.sparseInitializer))
    throw new GraphError('the graph holds sparse numbers, which are not cut');
  const nodes = fields.filter(({ number }) => number === GRAPH.node).map(nodeOf);
  const inputs = new Set(fields.filter(({ number }) => number === GRAPH.input).map(nameOf));
  const { kept, used } = ancestors(nodes, outputs);
  const known = new Map(
    fields.filter(({ number }) => number === GRAPH.output).map((field) => [nameOf(field), field.bytes] as const),
  );
  const parts: Uint8Array[] = [];
  for (const field of fields) {
    const { number, bytes } = field;
    if (number === GRAPH.output || number === GRAPH.valueInfo) continue;
    if (number === GRAPH.node && !kept.has(field)) continue;
    if (number === GRAPH.initializer && !used.has(textOf(field.content, TENSOR_NAME))) continue;
    if (number === GRAPH.input && !used.has(nameOf(field))) continue;
    parts.push(bytes);
  }
  if (![...inputs].some((name) => used.has(name))) throw new GraphError('the outputs depend on no input');
  for (const name of outputs) parts.push(...(known.has(name) ? [known.get(name)!] : floatOutput(name)));
  return parts;
}

interface Node {
  readonly field: Field;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

function nodeOf(field: Field): Node {
  const inputs: string[] = [];
  const outputs: string[] = [];
  for (const { number, content } of fieldsOf(field.content)) {
    if (number === NODE.input) inputs.push(text(content));
    else if (number === NODE.output) outputs.push(text(content));
    else if (number === NODE.attribute)
      for (const inner of fieldsOf(content))
        if (inner.number === ATTRIBUTE.graph || inner.number === ATTRIBUTE.graphs)
          throw new GraphError('a node holds a graph of its own, which is not cut');
  }
  return { field, inputs, outputs };
}

/** The nodes that these values come from, and the names of all values that they read. */
function ancestors(nodes: readonly Node[], values: readonly string[]) {
  const makers = new Map(nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  for (const name of values) if (!makers.has(name)) throw new GraphError(`no node makes ${name}`);
  const kept = new Set<Field>();
  const used = new Set<string>(values);
  const waiting = [...values];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const maker = makers.get(name);
    if (!maker || kept.has(maker.field)) continue;
    kept.add(maker.field);
    for (const input of maker.inputs) {
      used.add(input);
      waiting.push(input);
    }
  }
  return { kept, used };
}

/** A `ValueInfoProto`: name, and the type of a tensor of 32-bit floats of any shape. */
function floatOutput(name: string): Uint8Array[] {
  const tensor = Buffer.concat(lengthDelimited(1, [Buffer.from([1 << 3, 1])]));
  const type = lengthDelimited(2, [tensor]);
  return lengthDelimited(GRAPH.output, [...lengthDelimited(VALUE_NAME, [Buffer.from(name)]), ...type]);
}

const nameOf = (field: Field): string => textOf(field.content, VALUE_NAME);

function textOf(message: Uint8Array, wanted: number): string {
  for (const { number, content } of fieldsOf(message)) if (number === wanted) return text(content);
  return '';
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
