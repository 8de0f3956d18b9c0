/** The results of functions that may fail, as Effect's `Result`. */

export * from "effect/Result"

/** What a function returned. */
class Success<A> {
  readonly _tag = "Success"
  readonly success: A

  constructor(success: A) {
    this.success = success
  }

  /** Within {@link gen}, `yield*` evaluates to the value. */
  *[Symbol.iterator](): Generator<Success<A>, A, A> {
    return yield this
  }
}

/** Why a function failed. */
class Failure<E> {
  readonly _tag = "Failure"
  readonly failure: E

  constructor(failure: E) {
    this.failure = failure
  }

  /** Within {@link gen}, `yield*` ends it. */
  *[Symbol.iterator](): Generator<Failure<E>, never, never> {
    return yield this
  }
}

type Result<A, E> = Success<A> | Failure<E>

export const succeed = <A>(success: A): Success<A> => new Success(success)

export const fail = <E>(failure: E): Failure<E> => new Failure(failure)

export const isSuccess = <A, E>(result: Result<A, E>): result is Success<A> => result._tag === "Success"

export const isFailure = <A, E>(result: Result<A, E>): result is Failure<E> => !isSuccess(result)

export const match = <A, E, B>(
  result: Result<A, E>,
  { onSuccess, onFailure }: { readonly onSuccess: (value: A) => B; readonly onFailure: (error: E) => B }
): B => (isSuccess(result) ? onSuccess(result.success) : onFailure(result.failure))

export const flatMap = <A, E, B>(result: Result<A, E>, next: (value: A) => Result<B, E>): Result<B, E> =>
  isSuccess(result) ? next(result.success) : result

export const map = <A, E, B>(result: Result<A, E>, change: (value: A) => B): Result<B, E> =>
  isSuccess(result) ? succeed(change(result.success)) : result

export const mapError = <A, E, F>(result: Result<A, E>, change: (error: E) => F): Result<A, F> =>
  isSuccess(result) ? result : fail(change(result.failure))

export const getOrElse = <A, E>(result: Result<A, E>, other: (error: E) => A): A =>
  isSuccess(result) ? result.success : other(result.failure)

/** Goes on with the value of each result that `steps` yields, up to the first that failed. */
export const gen = <A, E>(steps: () => Generator<Result<unknown, E>, A, unknown>): Result<A, E> => {
  const generator = steps()
  let step = generator.next()
  while (step.done !== true) {
    if (isFailure(step.value)) return step.value
    step = generator.next(step.value.success)
  }
  return succeed(step.value)
}
