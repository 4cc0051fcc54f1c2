// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MakerVat, Noting, RAY, rpow} from "./MakerVat.sol";

/// Stability fees: `drip` adds what is owed by a kind of collateral since the last time.
contract MakerJug is Noting {
    struct Ilk {
        uint256 duty;
        uint256 rho;
    }

    MakerVat public immutable vat;
    uint256 public base;
    mapping(bytes32 => Ilk) public ilks;

    constructor(MakerVat vat_) {
        vat = vat_;
    }

    /// `duty`: by second, with 27 digits.
    function set(bytes32 ilk, uint256 duty) external auth {
        ilks[ilk] = Ilk(duty, block.timestamp);
    }

    function file(bytes32, uint256 data) external auth note {
        base = data;
    }

    function drip(bytes32 ilk) external note returns (uint256 rate) {
        (, uint256 before,,,) = vat.ilks(ilk);
        Ilk storage one = ilks[ilk];
        rate = (rpow(base + one.duty, block.timestamp - one.rho) * before) / RAY;
        vat.fold(ilk, address(this), int256(rate) - int256(before));
        one.rho = block.timestamp;
    }
}
