import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** A type of parameters: the file of an SDK's package, and the type's name there. */
export interface ParamsType {
  readonly file: string;
  readonly type: string;
}

const NODE_MODULES = fileURLToPath(new URL('../../../node_modules/', import.meta.url));

/** Reads fields from the type declarations of SDKs. */
export class SdkFields {
  private readonly program: ts.Program;
  private readonly checker: ts.TypeChecker;

  constructor(files: readonly string[]) {
    this.program = ts.createProgram(
      files.map((file) => NODE_MODULES + file),
      {
        ...{ strict: true, skipLibCheck: true, types: [], lib: ['lib.es2022.d.ts'], target: ts.ScriptTarget.ES2022 },
        ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
      },
    );
    this.checker = this.program.getTypeChecker();
  }

  /**
   * Compares a type with a list of paths, as in `FieldTable`. A path without others below it stands for all that is below.
   * @returns fields that no path stands for, and the paths that stand for a field
   */
  compare({ file, type }: ParamsType, paths: readonly string[]): { missing: string[]; found: Set<string> } {
    const source = this.program.getSourceFile(NODE_MODULES + file);
    const module = source && this.checker.getSymbolAtLocation(source);
    const symbol = module && this.checker.getExportsOfModule(module).find(({ name }) => name === type);
    if (!symbol) throw new Error(`${file} exports no type ${type}`);
    const compared = { paths, missing: [] as string[], found: new Set<string>() };
    this.compareFields(this.checker.getDeclaredTypeOfSymbol(symbol), '', compared);
    return compared;
  }

  private compareFields(type: ts.Type, path: string, compared: Compared): void {
    for (const field of this.checker.getPropertiesOfType(type)) {
      // Says only which kind of thing the others are of.
      if (path !== '' && KINDS.includes(field.name) && this.literalsOf(field).length > 0) continue;
      const below = path === '' ? field.name : `${path}.${field.name}`;
      this.compareAt(this.checker.getTypeOfSymbol(field), below, compared);
    }
  }

  private compareAt(type: ts.Type, path: string, compared: Compared): void {
    const { paths, missing, found } = compared;
    const isThere = paths.includes(path);
    if (isThere) found.add(path);
    const objects = this.objectsIn(type);
    const kinds = paths.some((each) => each.startsWith(`${path}[`));
    const hasMore = kinds || paths.some((each) => each.startsWith(`${path}.`));
    if (!hasMore || objects.length === 0) {
      if (!isThere) missing.push(path);
      return;
    }
    if (!kinds) {
      for (const object of objects) this.compareFields(object, path, compared);
      return;
    }
    for (const object of objects)
      for (const kind of this.kindsOf(object)) {
        const named = paths.some((each) => each === `${path}[${kind}]` || each.startsWith(`${path}[${kind}].`));
        const item = `${path}[${named ? kind : '*'}]`;
        if (paths.includes(item)) found.add(item);
        if (paths.some((each) => each.startsWith(`${item}.`))) this.compareFields(object, item, compared);
        else if (!paths.includes(item)) missing.push(`${path}[${kind}]`);
      }
  }

  /** The objects that a value may be or hold; not maps, whose keys are the caller's. */
  private objectsIn(type: ts.Type): readonly ts.Type[] {
    if (type.isUnion()) return type.types.flatMap((one) => this.objectsIn(one));
    if (this.checker.isArrayType(type))
      return this.objectsIn(this.checker.getTypeArguments(type as ts.TypeReference)[0]!);
    const isObject = type.isIntersection() || (type.flags & ts.TypeFlags.Object) !== 0;
    return isObject && !type.getStringIndexType() ? [type] : [];
  }

  /** The literals of its `type`, else of its `role`. */
  private kindsOf(type: ts.Type): readonly string[] {
    const literals = KINDS.map((name) => type.getProperty(name)).map((field) => (field ? this.literalsOf(field) : []));
    return literals.find(({ length }) => length > 0) ?? ['*'];
  }

  private literalsOf(field: ts.Symbol): readonly string[] {
    const type = this.checker.getTypeOfSymbol(field);
    return (type.isUnion() ? type.types : [type]).flatMap((one) => (one.isStringLiteral() ? [one.value] : []));
  }
}

const KINDS: readonly string[] = ['type', 'role'];

interface Compared {
  readonly paths: readonly string[];
  readonly missing: string[];
  readonly found: Set<string>;
}
