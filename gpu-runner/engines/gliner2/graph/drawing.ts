import { floatField, lengthDelimited, numberField, textField } from '../../packs/protobuf.js';
import { dataTypeOf, type Weights } from './weights.js';

/** A value of the graph. */
export type Value = string;
/** An attribute of a node: a number is a whole one, of at least 0. */
type Attribute = number | string | readonly number[] | { readonly float: number };

/** Versions of the format and of its operators (https://github.com/onnx/onnx/blob/main/docs/Versioning.md). */
const IR_VERSION = 9;
const OPSET = 20;
/** Numbers of fields, https://github.com/onnx/onnx/blob/main/onnx/onnx.proto. */
const MODEL = { irVersion: 1, graph: 7, opset: 8 } as const;
const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12 } as const;
const NODE = { input: 1, output: 2, type: 4, attribute: 5 } as const;
const ATTRIBUTE = { name: 1, float: 2, integer: 3, text: 4, integers: 8, type: 20 } as const;
const ATTRIBUTE_TYPE = { float: 1, integer: 2, text: 3, integers: 7 } as const;
const TENSOR = { dims: 1, type: 2, name: 8, raw: 9, external: 13, location: 14 } as const;
const IN_FILE = 1;
const TYPES = { float32: 1, int64: 7 } as const;

/**
 * Draws an ONNX graph: nodes in the order in which they run, whose numbers stay in the file of weights. onnxruntime maps them from there.
 */
export class Drawing {
  private readonly nodes: Uint8Array[] = [];
  private readonly initializers: Uint8Array[] = [];
  private readonly inputs: Uint8Array[] = [];
  private readonly known = new Map<string, Value>();
  private count = 0;

  constructor(private readonly weights: Weights) {}

  input(name: string, type: keyof typeof TYPES, dims: readonly (number | string)[]): Value {
    this.inputs.push(...valueInfo(GRAPH.input, name, type, dims));
    return name;
  }

  /**
   * Numbers of the file, as 32-bit floats.
   * @throws WeightsError if it has none of this name and shape
   */
  weight(name: string, shape: readonly number[]): Value {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const { dtype, offset, bytes } = this.weights.take(name, shape);
    const file = [
      ['location', this.weights.file],
      ['offset', String(offset)],
      ['length', String(bytes)],
    ] as const;
    this.initializers.push(
      ...lengthDelimited(GRAPH.initializer, [
        ...shape.map((size) => numberField(TENSOR.dims, size)),
        numberField(TENSOR.type, dataTypeOf(dtype)),
        ...textField(TENSOR.name, name),
        ...file.flatMap(([key, value]) =>
          lengthDelimited(TENSOR.external, [...textField(1, key), ...textField(2, value)]),
        ),
        numberField(TENSOR.location, IN_FILE),
      ]),
    );
    const value = dtype === 'F32' ? name : this.node('Cast', [name], { to: TYPES.float32 });
    this.known.set(name, value);
    return value;
  }

  /** Whole numbers: a list of them. */
  integers(...values: readonly number[]): Value {
    return this.constant(TYPES.int64, [values.length], Buffer.from(BigInt64Array.from(values, BigInt).buffer));
  }

  float(value: number): Value {
    return this.constant(TYPES.float32, [], Buffer.from(Float32Array.of(value).buffer));
  }

  /** @returns the result of an operator */
  node(type: string, inputs: readonly Value[], attributes: Readonly<Record<string, Attribute>> = {}): Value {
    return this.named(`v${this.count++}`, type, inputs, attributes);
  }

  /** As `node`, under a name of its own. */
  named(
    name: string,
    type: string,
    inputs: readonly Value[],
    attributes: Readonly<Record<string, Attribute>> = {},
  ): Value {
    this.nodes.push(
      ...lengthDelimited(GRAPH.node, [
        ...inputs.flatMap((input) => textField(NODE.input, input)),
        ...textField(NODE.output, name),
        ...textField(NODE.type, type),
        ...Object.entries(attributes).flatMap(([key, value]) => attributeField(key, value)),
      ]),
    );
    return name;
  }

  /** The model, with these results as outputs. */
  model(outputs: Readonly<Record<string, Value>>): Uint8Array {
    for (const [name, value] of Object.entries(outputs)) this.named(name, 'Identity', [value]);
    const graph = [
      ...this.nodes,
      ...textField(GRAPH.name, 'drawn'),
      ...this.initializers,
      ...this.inputs,
      ...Object.keys(outputs).flatMap((name) => valueInfo(GRAPH.output, name, 'float32', null)),
    ];
    const opset = [...textField(1, ''), numberField(2, OPSET)];
    return Buffer.concat([
      numberField(MODEL.irVersion, IR_VERSION),
      ...lengthDelimited(MODEL.graph, graph),
      ...lengthDelimited(MODEL.opset, opset),
    ]);
  }

  private constant(type: number, dims: readonly number[], raw: Uint8Array): Value {
    const name = `v${this.count++}`;
    this.initializers.push(
      ...lengthDelimited(GRAPH.initializer, [
        ...dims.map((size) => numberField(TENSOR.dims, size)),
        numberField(TENSOR.type, type),
        ...textField(TENSOR.name, name),
        ...lengthDelimited(TENSOR.raw, [raw]),
      ]),
    );
    return name;
  }
}

function attributeField(name: string, value: Attribute): Uint8Array[] {
  const [type, content] =
    typeof value === 'number'
      ? (['integer', [numberField(ATTRIBUTE.integer, value)]] as const)
      : typeof value === 'string'
        ? (['text', textField(ATTRIBUTE.text, value)] as const)
        : 'float' in value
          ? (['float', [floatField(ATTRIBUTE.float, value.float)]] as const)
          : (['integers', value.map((each) => numberField(ATTRIBUTE.integers, each))] as const);
  return lengthDelimited(NODE.attribute, [
    ...textField(ATTRIBUTE.name, name),
    ...content,
    numberField(ATTRIBUTE.type, ATTRIBUTE_TYPE[type]),
  ]);
}

/** @param dims null: any; a text: a size that is not known before */
function valueInfo(
  field: number,
  name: string,
  type: keyof typeof TYPES,
  dims: readonly (number | string)[] | null,
): Uint8Array[] {
  const sizes = dims?.flatMap((dim) =>
    lengthDelimited(1, typeof dim === 'number' ? [numberField(1, dim)] : textField(2, dim)),
  );
  const tensor = [numberField(1, TYPES[type]), ...(sizes ? lengthDelimited(2, sizes) : [])];
  return lengthDelimited(field, [...textField(1, name), ...lengthDelimited(2, lengthDelimited(1, tensor))]);
}
