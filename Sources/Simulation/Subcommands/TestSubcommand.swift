// `test`: runs scenarios without a daemon.

import Client
import GameFlow
import Texts

extension Subcommand {
    static func test(_ flows: RehearsedFlows) -> Subcommand {
        Subcommand(
            .offline, syntax: "test [--flows DIR] [--verbose] FILE …",
            summary: "Runs scenarios in virtual time, without a daemon, and reports in TAP.",
            details: """
                A scenario is a text with one step per line: a command of the daemon, or an expectation. A command that is refused \
                fails the scenario. A file with mistakes is not run: each is reported with its line, and the other files run. The \
                exit status is 1 if a scenario fails, 65 if a file has mistakes, and 74 if one cannot be read. What flows print \
                goes to standard error. \
                TAP is read by CI servers and by prove: prove -e 'gamectl test' FILE …

                Besides the daemon's commands, these steps can be used:

                """
                    + TextColumns.lines(StepWord.all.map { [$0.syntax, $0.summary] }, indent: 2, widest: 40).joined(
                        separator: "\n")
            ,
            examples: ["gamectl test Examples/Scenarios/game.scenario", "gamectl test --verbose *.scenario"],
            options: [.flows, .verbose("list every step")], words: 1...Int.max - 1
        ) { context, call throws(ControlError) in
            try context.run(call.words, try flows.with(filesOf: call), isVerbose: call.options["--verbose"] != nil)
        }
    }
}

extension CommandContext {
    fileprivate func run(_ paths: [String], _ flows: RehearsedFlows, isVerbose: Bool) throws(ControlError) -> ControlStatus {
        let output = output.cleaned
        do throws(FlowProblems) {
            try flows.check()
        } catch {
            throw .badFlow(error.description)
        }
        // All mistakes are found before anything runs.
        let files = paths.map { path in Result { () throws(ScenarioFault) in try Scenario(path: path, for: flows) } }
        if !output.isJSON { try output.writeLine(TestProtocol.head(count: files.count)) }
        var status = ControlStatus.accepted
        for (index, file) in files.enumerated() {
            switch file {
            case .failure(let fault):
                try output.write(fault, number: index + 1)
                status = max(status, fault.status)
            case .success(let scenario):
                let report = scenario.run(flows)
                try output.write(report, number: index + 1, isVerbose: isVerbose)
                if !report.isGood { status = max(status, .refused) }
            }
        }
        return status
    }
}

extension Output {
    fileprivate func write(_ report: ScenarioReport, number: Int, isVerbose: Bool) throws(ControlError) {
        if isJSON { return try write(json: TestProtocol.json(report)) }
        try writeLine(TestProtocol.point(number, report, verbose: isVerbose))
        writeRemark(TestProtocol.complaint(report))
    }

    fileprivate func write(_ fault: ScenarioFault, number: Int) throws(ControlError) {
        if isJSON { return try write(json: TestProtocol.json(fault)) }
        try writeLine(TestProtocol.point(number, fault))
        writeRemark(fault.sentences)
    }
}
