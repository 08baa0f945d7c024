// A client's output, for people or for programs.

import GameFlow
import Posix
import RESP
import Terminal
import Texts

package struct Output {
    /// The program's name, before its errors.
    let program: String
    package let isJSON: Bool
    package let style: Style
    /// Whether standard output is a terminal.
    package let isTerminal: Bool
    /// Set while code runs here that may print.
    private var clean: CleanOutput?

    package init(of program: String, isJSON: Bool, style: Style, isTerminal: Bool) {
        self.program = program
        self.isJSON = isJSON
        self.style = style
        self.isTerminal = isTerminal
    }

    /// The same output, without what flows and their hooks print while it is in use: that goes to standard error.
    package var cleaned: Output {
        var output = self
        output.clean = CleanOutput()
        return output
    }

    package func writeLine(_ text: String) throws(ControlError) {
        try write(text + "\n")
    }

    package func write(lines: [String]) throws(ControlError) {
        if !lines.isEmpty { try writeLine(lines.joined(separator: "\n")) }
    }

    /// Explains why there is nothing to print. A reader of a pipe gets nothing.
    package func write(absence sentence: String) throws(ControlError) {
        if isTerminal { try writeLine(style(sentence, .faint)) } else { writeRemark([sentence]) }
    }

    package func write(json: JSON) throws(ControlError) {
        try writeLine(isTerminal ? json.pretty() : json.description)
    }

    /// JSON for programs; for people lines, or the reason why there are none.
    package func write(
        json: @autoclosure () -> JSON, lines: @autoclosure () -> [String], absence: String? = nil
    ) throws(ControlError) {
        if isJSON { return try write(json: json()) }
        let lines = lines()
        if lines.isEmpty, let absence { try write(absence: absence) } else { try write(lines: lines) }
    }

    /// The text without a line end.
    package func write(_ text: String) throws(ControlError) {
        do throws(StreamError) {
            if let clean { try clean.write(text) } else { try StandardStream.output.write(text) }
        } catch {
            throw .stream(error)
        }
    }

    /// In JSON, errors are on standard output like replies; for people, on standard error. `line` is the script's.
    package func complain(_ error: ControlError, line: Int? = nil) throws(ControlError) {
        if isJSON {
            try write(json: Reply.errorJSON(code: error.code, message: error.sentence, line: line))
        } else {
            explain(error, line.map { "line \($0): " } ?? "")
        }
    }

    /// Reports the error that ends the process, and returns its status. An error of standard output is never JSON.
    package func end(with error: ControlError) -> ControlStatus {
        do throws(ControlError) {
            if case .stream = error { throw error }
            try complain(error)
            return error.status
        } catch {
            explain(error)
            return error.status
        }
    }

    /// Something that a person may want to know while it goes on.
    package func remark(_ text: String) {
        let style = Style.of(descriptor: 2)
        try? StandardStream.error.writeLine(style("\(program):", .stopped) + " " + text.printable)
    }

    /// For people, beside a report that a program reads.
    package func writeRemark(_ sentences: [String]) {
        guard !isJSON, !isTerminal, !sentences.isEmpty else { return }
        try? StandardStream.error.writeLine(sentences.joined(separator: "\n").printableLines)
    }

    /// On standard error. If that fails too, only the exit status remains.
    private func explain(_ error: ControlError, _ place: String = "") {
        if case .stream(let error) = error, error.isReaderGone { return }
        let style = Style.of(descriptor: 2)
        try? StandardStream.error.writeLine(style("\(program):", .bad) + " " + place + error.description.printableLines)
    }
}
