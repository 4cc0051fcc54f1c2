// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MakerVat, Noting, RAY} from "./MakerVat.sol";
import {SkyToken} from "./SkyToken.sol";

/// Turns what the Vat counts as DAI into the token and back; of USDS too.
contract MakerDaiJoin is Noting {
    MakerVat public immutable vat;
    SkyToken public immutable dai;

    constructor(MakerVat vat_, SkyToken dai_) {
        (vat, dai) = (vat_, dai_);
    }

    function join(address urn, uint256 wad) external note {
        vat.move(address(this), urn, RAY * wad);
        dai.burn(msg.sender, wad);
    }

    function exit(address usr, uint256 wad) external note {
        vat.move(msg.sender, address(this), RAY * wad);
        dai.mint(usr, wad);
    }
}
