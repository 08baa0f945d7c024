// EXEC: the one place where a transaction's commands are carried out and their replies collected.

import RESP

/// Carries out the commands of a transaction in one go: nothing of others comes in between but timers that the commands make due.
/// Their replies are collected in the output, behind the header of their array.
struct Execution: ~Copyable {
    private let call: Call
    private let transaction: Transaction
    private let reply: ReplyBuffer
    /// Where the replies' header is in the output.
    private let start: Int
    /// How many replies there are; a command that subscribes has several.
    private var replies = 0
    /// Whether they are more than a client may leave unread: then they are dropped, and the commands carried out all the same.
    private var isTooLong = false
    /// Whether the client has been cut off meanwhile.
    private var isGone = false
    /// The turn's pieces of work before the first command.
    private let piecesBefore: Int

    /// The pieces of work after which commands that only read are refused: a change has to be made in this turn, and takes little.
    private static let maxPieces = 2_048

    init(of transaction: Transaction, by call: Call) {
        (self.transaction, self.call, reply) = (transaction, call, call.reply)
        start = call.reply.count
        piecesBefore = call.host.turns?.pieces ?? 0
    }

    consuming func run() {
        let client = call.client
        reply.append(arrayOf: transaction.count)
        client.holdMessages()
        executeAll()
        let length = reply.count
        finish()
        client.waitForAnswersInExecution(isTooLong ? nil : start, movedBy: reply.count - length)
        client.releaseMessages()
        call.charge(requests: transaction.count)
    }

    private mutating func executeAll() { transaction.forEach { execute($0) } }

    private mutating func execute(_ request: Request) {
        let before = reply.count
        if isOverdrawn, isReading(request) {
            refuse()
        } else {
            replies += call.executeCountingReplies(request)
            call.host.fireDueTimers()
        }
        // A client that is cut off loses its output; its commands are carried out all the same.
        if reply.count < before { isGone = true }
        guard !isGone else { return reply.removeAll() }
        call.charge(requests: (reply.count - before) / 1_024)
        if reply.count - start > call.host.limits.outputBytes { isTooLong = true }
        if isTooLong { reply.removeLast(reply.count - start) }
    }

    private var isOverdrawn: Bool { (call.host.turns?.pieces ?? 0) - piecesBefore > Self.maxPieces }

    private func isReading(_ request: Request) -> Bool {
        call.host.commands.find(request.words[0]).map { !$0.flags.contains(.changes) } ?? true
    }

    private mutating func refuse() {
        reply.append(error: .limit, "this EXEC has taken its time already; ask for what only reads outside of MULTI")
        replies += 1
    }

    private func finish() {
        guard !isGone else { return }
        guard isTooLong else { return reply.replaceHeader(ofArray: transaction.count, at: start, with: replies) }
        let error = CommandError.limit(
            \.outputBytes,
            "all \(transaction.count) commands were carried out, but their replies have too many bytes to be kept")
        reply.append(error: error.code, error.sentence)
    }
}
