import { readDatabaseUrl } from "@cairn/storage-postgres/database-url"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const read = (url: string) => Result.getOrThrow(readDatabaseUrl(url))

const refusal = (url: string) => Result.getOrThrow(Result.flip(readDatabaseUrl(url)))

describe("the URL of a PostgreSQL database", () => {
  it("names several servers, each with the rest of it", () => {
    const { hosts, needs, name } = read("postgres://ada:a%2Cb@one:5433,[::1],three/x?sslmode=require")
    assert.deepStrictEqual(hosts, [
      { name: "one:5433", url: "postgres://ada:a%2Cb@one:5433/x?sslmode=require" },
      { name: "[::1]", url: "postgres://ada:a%2Cb@[::1]/x?sslmode=require" },
      { name: "three", url: "postgres://ada:a%2Cb@three/x?sslmode=require" }
    ])
    assert.strictEqual(needs, "read-write")
    assert.strictEqual(name, "postgres://ada@one:5433,[::1],three/x")
  })

  it("needs nothing of the only server, unless it says so", () => {
    assert.strictEqual(read("postgresql://one/x").needs, "any")
    for (const needs of ["any", "read-write", "primary"]) {
      for (const hosts of ["one", "one,two"]) {
        assert.strictEqual(read(`postgres://${hosts}/x?target_session_attrs=${needs}`).needs, needs)
      }
    }
  })

  it("may leave the server out, or name it by a parameter", () => {
    assert.lengthOf(read("postgres:///x").hosts, 1)
    assert.lengthOf(read("postgres:///x?host=/run/postgresql&port=5433").hosts, 1)
  })

  it.each([
    ["http://one/x", "postgres://"],
    ["one,two/x", "postgres://"],
    ["postgres://one,,two/x", "HOST:PORT"],
    ["postgres://one,two:99999/x", "HOST:PORT"],
    ["postgres://one:a,two/x", "HOST:PORT"],
    ["postgres://one,two/x?host=three", "host"],
    ["postgres:///x?host=one,two", "host"],
    ["postgres://one/x?port=1,2", "port"],
    ["postgres://one,two/x?target_session_attrs=standby", "target_session_attrs"],
    ["postgres://one,two/x?target_session_attrs=read-only", "target_session_attrs"],
    ["postgres://one/x?target_session_attrs=", "target_session_attrs"]
  ])("%s is refused, by what is wrong", (url, named) => {
    assert.include(refusal(url), named)
  })

  it("does not show its password when it is refused", () => {
    assert.notInclude(refusal("postgres://ada:hidden@one,two/x?target_session_attrs=standby"), "hidden")
  })
})
