// Values that are given or computed, and the expressions in them.

import JSON

extension ChartReader {
    /// A text is an expression, and anything else is itself, with expressions for its texts.
    func formula(_ value: LocatedJSON, of state: Int) -> Formula {
        switch value.content {
        case .text(let text): return .expression(expression(text, in: value, of: state))
        case .null, .bool, .integer, .number, .unreadable: return .constant(value.json)
        case .array(let values):
            let formulas = values.map { formula($0, of: state) }
            let constants = formulas.compactMap(\.constant)
            return constants.count == formulas.count ? .constant(.array(constants)) : .array(formulas)
        case .object(let members):
            let formulas = members.map { Formula.Member(name: $0.name, value: formula($0.value, of: state)) }
            let constants = formulas.compactMap { member in member.value.constant.map { JSON.Member(member.name, $0) } }
            return constants.count == formulas.count ? .constant(.object(constants)) : .object(formulas)
        }
    }

    /// A value that must be an expression: a guard, or the condition of an `if`.
    func condition(_ value: LocatedJSON, _ what: String, of state: Int) -> Expression {
        if value.text == nil { problems.wrong(value, "\(what) is an expression in quotes, such as \"round < 3\"") }
        // With any expression, nothing is said of the transitions behind it.
        return expression(value.text ?? "true", in: value, of: state)
    }

    /// An expression, the text's whole or a part of it that begins at this byte.
    func expression(_ text: String, at byte: Int = 0, in value: LocatedJSON, of state: Int) -> Expression {
        let offset = document.offset(ofByte: byte, inTextAt: value.offset)
        var mentions = ExpressionMentions()
        if text.utf8.count > ChartBounds.expressionBytes {
            problems.error(
                offset, "an expression has at most \(ChartBounds.expressionBytes) bytes, and this one has \(text.utf8.count)")
        } else if text.allSatisfy(\.isWhitespace) {
            // Between the {{ and }} of a text, an empty text has no use.
            problems.error(offset, "this expression is empty" + (text == value.text ? "; an empty text is \"''\"" : ""))
        } else if text.hasPrefix("{{"), text.hasSuffix("}}") {
            // Lua would take it for a table in a table, which is always true.
            problems.error(offset, "this is an expression already; leave out the {{ and the }}")
        } else if let fault = fault(in: text, &mentions) {
            let sentence = (fault.isAboutWhole ? "this expression " : "") + fault.sentence
            problems.error(document.offset(ofByte: byte + fault.offset, inTextAt: value.offset), sentence)
        }
        expressions.append(ExpressionSource(text: text, state: state, line: document.positions[offset].line))
        expressionPlaces.append((value.offset, byte, trigger, mentions.fields))
        return Expression(expressions.count - 1)
    }

    private func fault(in text: String, _ mentions: inout ExpressionMentions) -> TextProblem? {
        guard let compiler else { return TextProblem(sentence: "there is no memory to check it with") }
        do throws(TextProblem) { mentions = try compiler.mentions(in: text) } catch { return error }
        return unknownName(in: mentions)
    }

    /// `state("…")` of a state, or `remaining("…")` of a timer, that is not there.
    private func unknownName(in mentions: ExpressionMentions) -> TextProblem? {
        if let state = mentions.states.first(where: { tree.numbers[$0.text] == nil }) {
            let advice = tree.paths.nearest(to: state.text)
            return TextProblem(offset: state.offset, sentence: "there is no state \(state.text.quoted); \(advice)")
        }
        guard let timer = mentions.timers.first(where: { timers.numbers[$0.text] == nil }) else { return nil }
        return TextProblem(
            offset: timer.offset, sentence: "there is no timer \(timer.text.quoted); \(timers.advice(for: timer.text))")
    }
}

extension Formula {
    fileprivate var constant: JSON? {
        if case .constant(let value) = self { value } else { nil }
    }
}
