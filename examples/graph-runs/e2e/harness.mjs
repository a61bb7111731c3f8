// What every script here shares: folders with Terraform files, dropped as a person drops them.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { withPage } from 'trestle-web-kit/e2e/browser.mjs';

/** A load balancer that the internet reaches, in front of an instance that reads a database; and a module. */
export const NETWORK = `
resource "aws_security_group" "web" {
  ingress {
    from_port   = 443
    to_port     = 443
    protocol    = "tcp"
    cidr_blocks = ["0.0.0.0/0"]
  }
}

resource "aws_instance" "web" {
  associate_public_ip_address = true
  vpc_security_group_ids      = [aws_security_group.web.id]
  user_data                   = aws_db_instance.orders.address
}

resource "aws_db_instance" "orders" {
  engine              = "postgres"
  publicly_accessible = false
  storage_encrypted   = true
}

module "archive" {
  source = "./modules/archive"
}
`;

export const ARCHIVE = `
resource "aws_s3_bucket" "logs" {
  bucket = "example-logs"
  acl    = "public-read"
}
`;

/** The same, with a private bucket. */
export const PRIVATE = ARCHIVE.replace('public-read', 'private');

/** Calls `use` with a function that opens one more browser on the page, and one that makes a folder of files. */
export async function withGraphRuns(use, options) {
  const root = await mkdtemp(join(tmpdir(), 'trestle-folders-'));
  async function folder(name, files) {
    for (const [path, text] of Object.entries(files)) {
      const file = join(root, name, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    return join(root, name);
  }
  try {
    await withPage('/graph-runs/', (open) =>
      use((place, more) => open(place, { viewport: { width: 1400, height: 900 }, ...more }), folder), options);
  } finally {
    await rm(root, { recursive: true });
  }
}

/** Drops files or folders on the page, as a person does with the mouse. */
export async function drop(page, ...files) {
  const box = await page.getByRole('region', { name: 'Upload' }).boundingBox();
  const session = await page.context().newCDPSession(page);
  const at = { x: box.x + box.width / 2, y: box.y + 30 };
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop']) await session.send('Input.dispatchDragEvent', { type, ...at, data });
  await session.detach();
}

/** Waits until the run that is open is complete and its picture is drawn. */
export async function drawn(page) {
  await page.locator('.shape').first().waitFor();
}

/** The node of the picture with this id. */
export function shape(page, id) {
  return page.locator(`.shape[data-node='${id}']`);
}

/** How far the middle of a node is from the middle of the picture, in pixels. */
export async function offCentre(page, id) {
  const [node, frame] = [await shape(page, id).boundingBox(), await page.locator('.frame').boundingBox()];
  const middle = (box) => [box.x + box.width / 2, box.y + box.height / 2];
  const [[x, y], [fx, fy]] = [middle(node), middle(frame)];
  return Math.hypot(x - fx, y - fy);
}
