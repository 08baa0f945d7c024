// A scenario: the steps of one file, all parsed and checked before any is run.

import Client
import Commands
import GameFlow
import Posix
import RESP
import Statecharts
import Texts

package struct Scenario: Sendable {
    /// The file's path, as given.
    package let path: String
    package let steps: [ScenarioStep]
    /// The flows of the files that it names.
    let charts: [ChartDefinition]

    /// Parses the text of a file, and throws all its errors together: also names that `flows` do not have, if they are given.
    package init(parsing text: String, path: String, for flows: RehearsedFlows? = nil) throws(ScenarioFault) {
        let lines = Self.lines(of: text)
        let folder = ScenarioWorld.folder(of: path)
        let named = Self.flowFiles(named: lines, in: folder)
        let files = FlowFiles(named)
        // Reported with the line that names it.
        let unreadable = Dictionary(grouping: files.files.filter { !$0.isReadable && named.contains($0.path) }, by: \.path)
        // Without its flows, every name of theirs would be a mistake.
        let check = files.areGood ? flows.map { ScenarioCheck(of: $0.with(files.definitions), besides: path) } : nil
        let others = files.files.filter { unreadable[$0.path] == nil }
        var (steps, faults): ([ScenarioStep], [String]) = ([], others.flatMap(\.complaints))
        for (index, line) in lines.enumerated() {
            let place = "\(path):\(index + 1): "
            do throws(StepFault) {
                guard let step = try ScenarioStep(parsing: line, number: index + 1) else { continue }
                steps.append(step)
                if case .flow(let file) = step.action, let file = unreadable[ScenarioWorld.place(of: file, in: folder)]?.first {
                    faults += file.errors.map { "\(place)\(file.path): \($0.sentence)" }
                }
                faults += check?.mistakes(of: step).map { place + $0 } ?? []
            } catch {
                faults.append(place + error.sentence)
                check?.overlook(line)
            }
        }
        if steps.isEmpty && faults.isEmpty { faults.append("\(path): it has no steps") }
        guard faults.isEmpty else {
            throw ScenarioFault(path: path, sentences: faults, status: files.areReadable ? .badInput : .inputOutput)
        }
        self.path = path
        self.steps = steps
        charts = files.definitions
    }

    package init(path: String, for flows: RehearsedFlows? = nil) throws(ScenarioFault) {
        guard !FlowFiles.isFlowFile(path) else {
            throw ScenarioFault(path, "it is a flow file; gamectl check reads it, and gamectl test reads scenarios")
        }
        let bytes: [UInt8]?
        do throws(FileError) {
            bytes = try SmallFile(path, atMost: Self.maxBytes).bytes()
        } catch {
            throw ScenarioFault(path, "it cannot be read: \(error.reason)", .inputOutput)
        }
        guard let bytes else { throw ScenarioFault(path, "there is no such file", .inputOutput) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw ScenarioFault(path, "it is not text in UTF-8") }
        try self.init(parsing: text, path: path, for: flows)
    }

    /// The flow files that the lines name, in any place. A line that is no step is reported with the others.
    private static func flowFiles(named lines: [String], in folder: String) -> [String] {
        lines.compactMap { line in
            guard case .flow(let path)? = (try? ScenarioStep(parsing: line, number: 0))?.action else { return nil }
            return ScenarioWorld.place(of: path, in: folder)
        }
    }

    private static let maxBytes = 64 << 20

    /// A Windows line end is a single Character in Swift. As in a flow file, a byte order mark at the beginning is ignored.
    private static func lines(of text: String) -> [String] {
        let text = String(decoding: text.utf8.withoutByteOrderMark, as: UTF8.self)
        return text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
    }
}

/// Why a file is not a scenario: a sentence per error, with file and line.
package struct ScenarioFault: Error, CustomStringConvertible {
    package let path: String
    package let sentences: [String]
    /// Whether it has errors, or cannot be read: it or a flow file that it names.
    let status: ControlStatus

    package var description: String { sentences.joined(separator: "\n") }
}

extension ScenarioFault {
    /// Of the file as a whole.
    fileprivate init(_ path: String, _ sentence: String, _ status: ControlStatus = .badInput) {
        self.init(path: path, sentences: ["\(path): \(sentence)"], status: status)
    }
}

/// Why a line is not a step.
struct StepFault: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}

// MARK: - One step of a scenario

package struct ScenarioStep: Sendable {
    enum Action: Sendable {
        /// Must succeed.
        case command([String])
        /// Must be refused with this code.
        case refusal(code: ErrorCode, of: [String])
        /// Must be answered with this.
        case reply(String, to: [String])
        case expectation(session: String, Expectation)
        case emission(session: String, ExpectedEmission)
        case standIn(StandInDirective)
        /// Adds simulated devices.
        case devices(path: String)
        /// Names a flow file; it is read before any step is run.
        case flow(path: String)
    }

    /// Its line in the file, counted from 1.
    let line: Int
    /// As written, without the comment.
    let text: String
    let action: Action

    /// Nil for a line without a step.
    init?(parsing line: String, number: Int) throws(StepFault) {
        let line = LineWords.uncommented(line)
        let words: [String]
        do throws(RequestError) {
            words = try LineWords.split(line)
        } catch {
            throw StepFault("\(error)")
        }
        guard let first = words.first else { return nil }
        self.line = number
        text = line.trimmed
        action = if let word = StepWord.find(first) { try word.action(words) } else { .command(try Self.command(words)) }
    }

    /// Checks that the words are a command of the daemon, as far as possible without running it.
    static func command(_ words: [String]) throws(StepFault) -> [String] {
        guard let name = words.first else { throw StepFault("a command is missing") }
        if let word = StepWord.find(name) {
            throw StepFault("'\(word.name)' is not a command; expect-error and expect-reply take a command of the daemon")
        }
        guard let command = CommandTable.all[name] else { throw StepFault(unknown(name)) }
        guard command.words.contains(words.count) else { throw StepFault(CommandError.wrongCount(command, words).sentence) }
        return words
    }

    private static func unknown(_ name: String) -> String {
        if let hidden = name.unicodeScalars.first(where: \.isHidden) {
            let number = String(hidden.value, radix: 16, uppercase: true).leftPadded(to: 4, with: "0")
            return "unknown step '\(name.shortened.printable)': it contains the character U+\(number), "
                + "which is invisible or looks like a blank; delete it, or write a blank"
        }
        let names = StepWord.all.map(\.name) + CommandTable.all.commands.map { $0.name.lowercased() }
        let guess = Suggestion.closest(to: name.lowercased(), among: names).map { "; did you mean '\($0)'?" }
        return "unknown step '\(name.shortened)'"
            + (guess ?? "; a step is a command of the daemon, or one of "
                + StepWord.all.map(\.name).joined(separator: ", "))
    }
}

extension Unicode.Scalar {
    /// Whether an editor shows nothing for it, or a blank; not the blank itself.
    fileprivate var isHidden: Bool {
        isUnprintable || properties.isDefaultIgnorableCodePoint || properties.isWhitespace && self != " "
    }
}

// MARK: - Runs a scenario up to its end or its first failing step.

/// The result of a scenario.
package struct ScenarioReport: Sendable {
    package struct Step: Sendable {
        package let line: Int
        package let text: String
        /// The scenario's time after the step.
        package let at: Duration
        /// Its outcome, if there is one to show.
        package let outcome: String?
    }

    package let path: String
    /// The steps that were run, including the failing one.
    package fileprivate(set) var steps: [Step] = []
    /// The last step's; nil if the scenario passed.
    fileprivate(set) var mismatch: Mismatch?

    package var isGood: Bool { mismatch == nil }
    /// The scenario's length in virtual time.
    package var length: Duration { steps.last?.at ?? .zero }
}

extension Scenario {
    package func run(_ flows: RehearsedFlows = .builtIn) -> ScenarioReport {
        let world = ScenarioWorld(besides: path, flows: flows.with(charts))
        var report = ScenarioReport(path: path)
        for step in steps where report.isGood {
            let (outcome, mismatch) = step.run(in: world)
            report.steps.append(.init(line: step.line, text: step.text, at: world.now, outcome: outcome))
            report.mismatch = mismatch
        }
        return report
    }
}

extension ScenarioStep {
    fileprivate func run(in world: ScenarioWorld) -> (outcome: String?, mismatch: Mismatch?) {
        switch action {
        case .command(let words):
            let reply = world.run(words)
            guard let error = reply.firstError else { return (reply.line, nil) }
            return (nil, Mismatch(expected: "no error", got: error.line))
        case .refusal(let code, let words):
            let reply = world.run(words)
            let isMet = if case .error(code, _) = reply { true } else { false }
            return (reply.line, .unless(isMet, "an error, \(code)", got: reply.line))
        case .reply(let text, let words):
            let reply = world.run(words)
            return (reply.line, .unless(reply.line == text, text, got: reply.line))
        case .expectation(let session, let expectation):
            guard let machine = world.machine(of: session) else {
                return (nil, Mismatch(expected: "a session '\(session)'", got: "no such session"))
            }
            return (nil, expectation.mismatch(with: machine))
        case .emission(let session, let emission):
            return (nil, emission.mismatch(with: world.emissions(of: session)))
        case .standIn(let directive):
            world.standIns.apply(directive)
            return (nil, nil)
        case .devices(let path): return (nil, world.addDevices(path: path))
        case .flow: return (nil, nil)
        }
    }
}

extension Reply {
    /// The error that it is, or the first one among the replies of an EXEC; nil for all other replies.
    var firstError: Reply? {
        switch self {
        case .error: self
        case .array(let replies): replies.lazy.compactMap(\.firstError).first
        case .simple, .integer, .bulk, .null, .map, .set, .push, .double, .boolean, .verbatim, .bigNumber: nil
        }
    }

    /// The reply on one line: a text as it is, an error with its code, anything else as JSON.
    fileprivate var line: String {
        switch self {
        case .error(let code, let text): "\(code) \(text)"
        case .simple, .integer, .bulk, .null, .array, .map, .set, .push, .double, .boolean, .verbatim, .bigNumber:
            text ?? json.description
        }
    }
}
