// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface Core {
    function answer(uint160 precompile, bytes calldata input) external view returns (bytes memory);
}

/**
 * Stands at the address of a read precompile of HyperEVM. As there, arguments come without a selector, a call costs 2000
 * gas and 65 for each byte in and out, and what is refused burns all gas.
 */
contract HyperCorePrecompile {
    Core private immutable core;

    constructor(Core core_) {
        core = core_;
    }

    fallback(bytes calldata input) external returns (bytes memory) {
        uint256 given = gasleft();
        try core.answer(uint160(address(this)), input) returns (bytes memory found) {
            if (given < 2000 + 65 * (input.length + found.length)) burn();
            return found;
        } catch {
            burn();
        }
        return "";
    }

    function burn() private pure {
        assembly {
            invalid()
        }
    }
}
