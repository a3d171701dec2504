/** Real object stores on loopback: S3rver and Azurite. */
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { BlobServiceClient } from '@azure/storage-blob'
import type { Test } from 'tap'
import { freshFolder } from '../folders.ts'

const require = createRequire(import.meta.url)

export interface Bucket {
  port: number
  /** Returns everything in the bucket `events` and empties it. */
  objects: () => Promise<Record<string, Buffer>>
}

export async function openBucket(t: Test): Promise<Bucket> {
  const S3rver = require('s3rver')
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: freshFolder(t),
    configureBuckets: [{ name: 'events' }],
  })
  const { port } = await server.run()
  const client = new S3Client({
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${port}`,
    forcePathStyle: true,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  })
  t.teardown(() => {
    client.destroy()
    // It would wait for requests that it never answers, such as a part of an upload that was aborted meanwhile.
    server.httpServer.closeAllConnections()
    return server.close()
  })
  const objects = async (): Promise<Record<string, Buffer>> => {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: 'events' }))
    const found: Record<string, Buffer> = {}
    for (const { Key } of Contents) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: 'events', Key: Key! }))
      found[Key!] = Buffer.from(await Body!.transformToByteArray())
    }
    await server.store.reset()
    await server.configureBuckets()
    return found
  }
  return { port, objects }
}

/** The default account of Azurite. */
const ACCOUNT = 'devstoreaccount1'
export const AZURITE_KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='

export const azuriteConnection = (port: number, key = AZURITE_KEY): string =>
  `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${key};BlobEndpoint=http://127.0.0.1:${port}/${ACCOUNT};`

export interface Container {
  port: number
  /** Returns everything in the container `events` and empties it. */
  blobs: () => Promise<Record<string, Buffer>>
}

export async function openContainer(t: Test): Promise<Container> {
  const { default: BlobServer } = require('azurite/dist/src/blob/BlobServer')
  const { default: BlobConfiguration } = require('azurite/dist/src/blob/BlobConfiguration')
  const { MemoryExtentChunkStore } = require('azurite/dist/src/common/persistence/MemoryExtentStore')
  const folder = freshFolder(t)
  const server = new BlobServer(
    new BlobConfiguration(
      '127.0.0.1',
      0,
      5,
      join(folder, 'blobs.json'),
      join(folder, 'extents.json'),
      [],
      false,
      undefined,
      false,
      undefined,
      false,
      true,
      undefined,
      undefined,
      undefined,
      undefined,
      false,
      true,
      new MemoryExtentChunkStore(),
    ),
  )
  await server.start()
  t.teardown(() => server.close())
  const { port } = server.httpServer.address() as AddressInfo
  const container = BlobServiceClient.fromConnectionString(azuriteConnection(port)).getContainerClient('events')
  await container.create()
  const blobs = async (): Promise<Record<string, Buffer>> => {
    const found: Record<string, Buffer> = {}
    for await (const { name } of container.listBlobsFlat()) {
      found[name] = await container.getBlobClient(name).downloadToBuffer()
      await container.deleteBlob(name)
    }
    return found
  }
  return { port, blobs }
}
