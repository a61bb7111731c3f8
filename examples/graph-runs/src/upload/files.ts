// What people pick, as the API takes it: one file as it is, a folder as a zip of the files that an analysis reads. Which those are,
// the server says.

import { client } from '../api/client';
import { graphql } from '../gql';
import { IacFormat, type ReadablePathsQuery } from '../gql/graphql';

const ReadablePathsDoc = graphql(`
  query ReadablePaths($paths: [String!]!) {
    readablePaths(paths: $paths) {
      configuration
      texts
      maxTextBytes
      folders
    }
  }
`);

type Readable = NonNullable<ReadablePathsQuery['readablePaths']>;

/** A file with its path below what was picked. */
export interface Picked {
  readonly path: string;
  readonly file: File;
}

/** What is uploaded. */
export interface Ready {
  readonly format: IacFormat;
  readonly bytes: Blob;
}

/** The most paths, and the most letters of them, that the server is asked about at once. */
const MOST_PATHS = 1000;
const MOST_LETTERS = 64_000;

/** The server's word on all of these paths. */
async function readable(paths: readonly string[]): Promise<readonly Readable[]> {
  const batches: string[][] = [];
  let letters = Infinity;
  for (const path of paths) {
    const isFull = letters + path.length > MOST_LETTERS || batches.at(-1)?.length === MOST_PATHS;
    if (isFull) batches.push([]);
    letters = (isFull ? 0 : letters) + path.length;
    batches.at(-1)?.push(path);
  }
  return Promise.all(
    batches.map(async (some) => {
      const { data } = await client.query({ query: ReadablePathsDoc, variables: { paths: some }, fetchPolicy: 'no-cache' });
      if (!data?.readablePaths) throw new Error('The server does not say which files it reads.');
      return data.readablePaths;
    }),
  );
}

/** The files among these that an analysis reads. */
async function selected(files: readonly Picked[]): Promise<readonly Picked[]> {
  const answers = await readable(files.map(({ path }) => path));
  const sorted = (names: readonly string[]) => names.toSorted((one, other) => (one < other ? -1 : 1));
  const configuration = sorted(answers.flatMap((answer) => answer.configuration));
  if (configuration.length === 0) throw new Error('There is no Terraform file in it.');
  const byPath = new Map(files.map((each) => [each.path, each]));
  const texts = sorted(answers.flatMap((answer) => answer.texts));
  const most = answers[0]?.maxTextBytes ?? 0;
  return [...configuration, ...texts.filter((path) => (byPath.get(path)?.file.size ?? 0) <= most)].flatMap((path) => byPath.get(path) ?? []);
}

/** The paths below the folder that was picked, which is the top of the archive. */
function belowTop(picked: readonly Picked[]): readonly Picked[] {
  const tops = new Set(picked.map(({ path }) => path.split('/')[0]));
  if (tops.size > 1 || !picked.every(({ path }) => path.includes('/'))) return picked;
  return picked.map(({ path, file }) => ({ path: path.slice(path.indexOf('/') + 1), file }));
}

export async function pickedFiles(list: FileList | null): Promise<readonly Picked[]> {
  return [...(list ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** The files of what was dropped, with those of folders that may have some of a configuration. */
export async function droppedFiles(transfer: DataTransfer): Promise<readonly Picked[]> {
  let entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return pickedFiles(transfer.files);
  const found: Picked[] = [];
  // What is dropped is looked into whatever its name. One level after the other, so that the server is asked once for each.
  const top = entries.length > 1 ? 0 : 1;
  while (entries.length > 0) {
    const files = await Promise.all(entries.filter(isFile).map(fileOf));
    found.push(...files);
    const inner = (await Promise.all(entries.filter(isFolder).map(entriesOf))).flat();
    const paths = new Map(inner.filter(isFolder).map((each) => [`${pathOf(each).split('/').slice(top).join('/')}/`, each]));
    const folders = new Set((await readable([...paths.keys()])).flatMap((answer) => answer.folders));
    entries = [...inner.filter(isFile), ...[...paths].flatMap(([path, each]) => (folders.has(path) ? [each] : []))];
  }
  return found;
}

function pathOf({ fullPath }: FileSystemEntry): string {
  return fullPath.replace(/^\//u, '');
}

async function fileOf(entry: FileSystemFileEntry): Promise<Picked> {
  const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
  return { path: pathOf(entry), file };
}

async function entriesOf(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  // The browser answers a hundred at a time, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    found.push(...some);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

/** What to upload of what was picked. */
export async function prepared(picked: readonly Picked[]): Promise<Ready> {
  const [only, more] = picked;
  if (!only) throw new Error('There is no file in it.');
  const isAlone = more === undefined && !only.path.includes('/');
  if (isAlone) return { format: await formatOf(only.file), bytes: only.file };
  return { format: IacFormat.Zip, bytes: await zipped(await selected(belowTop(picked))) };
}

async function formatOf(file: File): Promise<IacFormat> {
  if (/\.zip$/iu.test(file.name)) return IacFormat.Zip;
  if (/\.(?:tar\.gz|tgz)$/iu.test(file.name)) return IacFormat.TarGz;
  if (/\.tf\.json$/iu.test(file.name)) return IacFormat.Json;
  if (/\.tf$/iu.test(file.name)) return IacFormat.Hcl;
  if (/\.json$/iu.test(file.name)) {
    return /"(?:planned_values|resource_changes)"/u.test(await file.text()) ? IacFormat.Plan : IacFormat.Json;
  }
  throw new Error(`${file.name} is neither a .tf or .tf.json file, nor a plan in JSON, nor a zip or tar.gz archive.`);
}

async function zipped(files: readonly Picked[]): Promise<Blob> {
  const { zip } = await import('fflate');
  const contents = await Promise.all(files.map(async ({ path, file }) => [path, new Uint8Array(await file.arrayBuffer())] as const));
  return new Promise((resolve, reject) => {
    zip(Object.fromEntries(contents), { level: 6 }, (error, data) => {
      if (error) reject(error);
      else resolve(new Blob([data as BlobPart], { type: 'application/zip' }));
    });
  });
}
