import { HomePage } from "../../../../ui/console/frame/home-page";

export default HomePage;
