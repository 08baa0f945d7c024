// A side that events come from, as the end of a turn sees it: what leaves, and when.

import RESP

/// Holds a turn's output until the turn is over, and with durability `always` until it is on disk.
package protocol GatedOutput: AnyObject {
    /// The turn is over: its output may leave, or is held until this batch is on disk.
    func releaseOutput(awaiting batch: UInt64?)
    /// All batches up to this one are on disk.
    func releaseHeld(through safe: UInt64)
    /// The disk has failed: held answers are replaced by this error, before other output of this turn is released.
    func retractHeld(_ error: CommandError, safeThrough: UInt64)
    /// The process is about to end: what waits for an answer gets this one.
    func answerWaiting(_ error: CommandError)
}
