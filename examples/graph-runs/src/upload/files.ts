// What people pick, as the API takes it: one file as it is, a folder as a zip of the files that Terraform reads.

import { IacFormat } from '../gql/graphql';

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

/** What Terraform reads, and what `terraform init` notes of modules. */
const TERRAFORM = /\.(?:tf|tf\.json|tfvars|tfvars\.json)$|(?:^|\/)\.terraform\/modules\/modules\.json$/u;
/** Folders that are never of the configuration. */
const IGNORED = /(?:^|\/)(?:\.git|node_modules|\.terraform\/providers)\//u;

export async function pickedFiles(list: FileList | null): Promise<readonly Picked[]> {
  return [...(list ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** The files of what was dropped, with those of folders. */
export async function droppedFiles(transfer: DataTransfer): Promise<readonly Picked[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return pickedFiles(transfer.files);
  return (await Promise.all(entries.map(below))).flat();
}

async function below(entry: FileSystemEntry): Promise<readonly Picked[]> {
  const path = entry.fullPath.replace(/^\//u, '');
  if (IGNORED.test(`${path}/`)) return [];
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ path, file }];
  }
  if (!isFolder(entry)) return [];
  const reader = entry.createReader();
  const found: FileSystemEntry[] = [];
  // The browser answers a hundred at a time, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) break;
    found.push(...some);
  }
  return (await Promise.all(found.map(below))).flat();
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
  const files = picked.filter(({ path }) => TERRAFORM.test(path) && !IGNORED.test(path));
  if (!files.some(({ path }) => /\.tf(?:\.json)?$/u.test(path))) throw new Error('There is no Terraform file in it: it has to have .tf or .tf.json files.');
  return { format: IacFormat.Zip, bytes: await zipped(files) };
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
  // All are below the folder that was picked, which is the top of the archive.
  const tops = new Set(files.map(({ path }) => path.split('/')[0]));
  const start = tops.size === 1 && files.every(({ path }) => path.includes('/')) ? ([...tops][0] ?? '').length + 1 : 0;
  const contents = await Promise.all(
    files.map(async ({ path, file }) => [path.slice(start), new Uint8Array(await file.arrayBuffer())] as const),
  );
  return new Promise((resolve, reject) => {
    zip(Object.fromEntries(contents), { level: 6 }, (error, data) => {
      if (error) reject(error);
      else resolve(new Blob([data as BlobPart], { type: 'application/zip' }));
    });
  });
}
